//! The Model Context Protocol: the checks as tools of any agent, stateless, in the protocol's older
//! versions with their handshake and in those without.
//!
//! [`message`] takes a message apart before the SDK reads it, [`http`] and [`stdio`] bring messages,
//! and [`Verifier`] answers those that the SDK leaves to a server.

mod http;
mod message;
pub(super) mod schemas;
pub(super) mod stdio;
mod tools;

use std::sync::{Arc, Mutex, PoisonError};

use agent_output_verifier::error::ErrorBody;
use agent_output_verifier::text::{closest, quoted};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, Implementation, InitializeRequestParams, InitializeResult,
    ListToolsResult, MetaObject, PaginatedRequestParams, ProtocolVersion, RequestMetaObject,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;

use super::allowance::Balance;
use super::app::{self, App, Refusal};
use super::body::Text;
use super::charge::Challenge;
use super::client::Client;
use super::payment::{Offer, Receipt};
use super::receipt::check_receipt;
pub(super) use http::{HEADERS, route};
pub(super) use tools::Tool;

/// The protocol's version that the agent-card names.
pub(super) const PROTOCOL_VERSION: &str = "2026-07-28";

/// All tools, in the order in which they are listed.
pub(super) fn tools() -> impl Iterator<Item = Tool> {
    Tool::ALL.into_iter()
}

/// What a message came with, beside what the SDK reads; it takes it along.
#[derive(Clone)]
struct Enclosed {
    arguments: Arc<Mutex<Option<Text>>>,
    /// Whose allowance is used; nobody's on this machine's own streams
    client: Option<Client>,
}

impl Enclosed {
    fn new(arguments: Option<Text>, client: Option<Client>) -> Enclosed {
        Enclosed { arguments: Arc::new(Mutex::new(arguments)), client }
    }
}

/// A call of a tool.
struct Call {
    /// The arguments as they were sent
    arguments: Text,
    client: Option<Client>,
    /// The request's `_meta`
    meta: RequestMetaObject,
}

/// Where a call has its payment, and a result what became of it.
const PAYMENT: &str = "x402/payment";
const PAYMENT_RESPONSE: &str = "x402/payment-response";

impl Call {
    /// The call as all interfaces have it, without its arguments.
    fn charged(&self, app: &App) -> app::Call {
        let payment = self.meta.get(PAYMENT).filter(|payment| !payment.is_null());
        app::Call {
            client: self.client,
            // Where there is no URL, nothing is charged.
            url: app.identity.mcp_url.clone().unwrap_or_default(),
            payment: payment.cloned().map(Offer::Json),
        }
    }
}

/// What a call came to.
struct Answered {
    json: Vec<u8>,
    /// What is left of the client's allowance
    balance: Option<Balance>,
    /// How it was paid for, where it was
    receipt: Option<Receipt>,
}

impl From<app::Answer> for Answered {
    fn from(answer: app::Answer) -> Answered {
        let app::Answer { json, balance, receipt } = answer;
        Answered { json, balance, receipt }
    }
}

/// The server, as the SDK sees it.
#[derive(Clone)]
struct Verifier {
    app: Arc<App>,
}

impl Verifier {
    async fn call(&self, tool: Tool, call: Call) -> Result<Answered, Refusal> {
        let app = &self.app;
        match tool {
            Tool::VerifySchema => {
                let charged = call.charged(app);
                Ok(app.check(call.arguments, charged).await?.into())
            }
            Tool::GetVerificationRecord => {
                let agent_id = tools::agent_id(call.arguments.as_bytes())?;
                Ok(app.score(&agent_id, call.charged(app)).await?.into())
            }
            Tool::CheckReceipt => Ok(check_receipt(app, call.arguments, call.client).await?.into()),
        }
    }

    /// An answer or an error as a tool's result: the text, and the same as data.
    fn result(&self, answered: Result<Answered, Refusal>) -> CallToolResult {
        let mut meta = MetaObject::default();
        let mut tell = |name: &str, value: Result<Value, serde_json::Error>| {
            // Plain data: it cannot fail to be written.
            meta.0.insert(name.to_owned(), value.unwrap_or_default());
        };
        let (json, balance, mut result) = match answered {
            Ok(Answered { json, balance, receipt }) => {
                if let Some(receipt) = receipt {
                    tell(PAYMENT_RESPONSE, serde_json::to_value(receipt.response()));
                    receipt.handed_over();
                }
                (json, balance, CallToolResult::success(Vec::new()))
            }
            Err(Refusal::Error { error, balance }) => {
                let json = serde_json::to_vec(&self.app.guided(*error));
                (json.unwrap_or_default(), balance, CallToolResult::error(Vec::new()))
            }
            Err(Refusal::Payment(challenge)) => {
                let Challenge { required, free_trial, balance, .. } = *challenge;
                if let Some(trial) = free_trial {
                    tell("free_trial", serde_json::to_value(trial));
                }
                let json = serde_json::to_vec(&required);
                (json.unwrap_or_default(), balance, CallToolResult::error(Vec::new()))
            }
        };
        if let Some(balance) = balance {
            let balance = serde_json::json!({
                "limit": balance.limit,
                "remaining": balance.remaining,
                "resets": balance.resets,
            });
            tell("free_allowance", Ok(balance));
        }
        result.structured_content = serde_json::from_slice(&json).ok();
        // JSON is written in UTF-8.
        let text = String::from_utf8(json).unwrap_or_default();
        result.content.push(ContentBlock::text(text));
        result.meta = Some(meta).filter(|meta| !meta.0.is_empty());
        result
    }
}

/// Who answers, which the newer versions of the protocol want in every result, as none of their
/// requests need come after another.
fn named(meta: Option<MetaObject>, context: &RequestContext<RoleServer>) -> Option<MetaObject> {
    let newer = context.protocol_version().is_some_and(|version| !version.has_initialize());
    let server = newer.then(|| serde_json::to_value(implementation()).ok()).flatten();
    let Some(server) = server else { return meta };
    let mut meta = meta.unwrap_or_default();
    meta.0.insert("io.modelcontextprotocol/serverInfo".to_owned(), server);
    Some(meta)
}

fn implementation() -> Implementation {
    Implementation::new("aov", env!("CARGO_PKG_VERSION")).with_title("Agent Output Verifier")
}

impl ServerHandler for Verifier {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
            .with_server_info(implementation())
            .with_instructions(tools::INSTRUCTIONS)
    }

    /// The version that was agreed on is what later requests of the same connection are in.
    async fn initialize(
        &self,
        mut request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let result = self.negotiate_initialize(&request)?;
        request.protocol_version = result.protocol_version.clone();
        context.peer.set_peer_info(request);
        Ok(result)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut list = ListToolsResult::with_all_items(tools::declared().to_vec());
        list.meta = named(list.meta, &context);
        Ok(list)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = Tool::named(&request.name) else {
            return Err(unknown_tool(&request.name));
        };
        let parts = context.extensions.get::<axum::http::request::Parts>();
        let enclosed = parts.and_then(|parts| parts.extensions.get::<Enclosed>());
        let enclosed = enclosed.or_else(|| context.extensions.get::<Enclosed>());
        let (arguments, client) = match enclosed {
            Some(Enclosed { arguments, client }) => {
                (arguments.lock().unwrap_or_else(PoisonError::into_inner).take(), *client)
            }
            None => (None, None),
        };
        let call = Call {
            // A call without arguments lacks all that are needed, and is told which.
            arguments: arguments.unwrap_or_else(|| Text::from(&b"{}"[..])),
            client,
            meta: context.meta.clone(),
        };
        let answered = tokio::select! {
            biased;
            // Nobody is left to hear the answer. A check that has not begun is not made any more.
            () = context.ct.cancelled() => {
                return Err(ErrorData::internal_error("The request was taken back.", None));
            }
            answered = self.call(tool, call) => answered,
        };
        let mut result = self.result(answered);
        result.meta = named(result.meta, &context);
        Ok(result.into())
    }

    /// What the SDK does not know, or knows with other params.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let takes = match request.method.as_str() {
            "initialize" => "protocolVersion, capabilities and clientInfo",
            "tools/list" => "a cursor, or nothing",
            "tools/call" => "a name, and arguments of the tool of that name",
            _ => {
                let problem = "There is no such method here; there are tools/list and tools/call.";
                return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, problem, None));
            }
        };
        let problem = format!("The params are not those of this method, which takes {takes}.");
        Err(ErrorData::invalid_params(problem, None))
    }
}

fn unknown_tool(name: &str) -> ErrorData {
    let known = Tool::ALL.map(Tool::name);
    let hint = match closest(name, known) {
        Some(near) => format!("Did you mean {near}?"),
        None => format!("There are {}.", known.join(", ")),
    };
    ErrorData::invalid_params(format!("There is no tool {}. {hint}", quoted(name)), None)
}

/// An error of all interfaces as one of the protocol.
fn protocol_error(body: &ErrorBody) -> ErrorData {
    let message = body.message().to_owned();
    match body.status() {
        Some(500..) => ErrorData::internal_error(message, None),
        _ => ErrorData::invalid_request(message, None),
    }
}

/// An error of all interfaces as the data of one of the protocol.
fn data(app: &App, body: ErrorBody) -> Option<serde_json::Value> {
    serde_json::to_value(app.guided(body)).ok()
}
