//! What a running server has: the one description that all its documents are made of. A route
//! stands here as a constant, and is in the catalog once the router has it; what is switched off is
//! nowhere.

use agent_output_verifier::error::ErrorCode;

use super::app::App;
use super::mcp;
use super::payment::{Good, Terms};

/// What the server does, in a sentence.
pub(super) const SUMMARY: &str = "Checks an agent's JSON output against a JSON Schema, bounds and cross-field rules, and signs \
     what was found.";

/// A route, as documents describe it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Route {
    pub(super) method: Method,
    pub(super) path: &'static str,
    /// A stable name
    pub(super) id: &'static str,
    /// What it is for, as a phrase
    pub(super) summary: &'static str,
    /// What else there is to know, in sentences; may be empty
    pub(super) description: &'static str,
    pub(super) takes: Takes,
    pub(super) gives: Gives,
    pub(super) group: Group,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Method {
    Get,
    Post,
}

impl Method {
    pub(super) fn name(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Post => "POST",
        }
    }
}

/// What a route takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Takes {
    Nothing,
    /// An agent's id, in the path
    AgentId,
    /// A request to check an output
    Request,
    /// A receipt, with what it is checked by
    Receipt,
    /// Messages of another protocol
    Messages,
}

/// What a route gives when all is well.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Gives {
    Response,
    Score,
    Reputation,
    CheckedReceipt,
    Health,
    /// A JSON document of another standard, by its media type
    Document(&'static str),
    Text(&'static str),
    /// The page or the index, as the client prefers
    Index,
    /// A part of a page
    Asset,
    /// Messages of another protocol
    Messages,
}

/// What routes are listed under.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Group {
    Checks,
    Records,
    Operation,
    Discovery,
}

impl Group {
    pub(super) const ALL: [Group; 4] =
        [Group::Checks, Group::Records, Group::Operation, Group::Discovery];

    pub(super) fn name(self) -> &'static str {
        match self {
            Group::Checks => "Checks",
            Group::Records => "Records",
            Group::Operation => "Operation",
            Group::Discovery => "Discovery",
        }
    }
}

/// Most documents differ in little else than path and type.
const fn document(
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    gives: Gives,
) -> Route {
    Route {
        method: Method::Get,
        path,
        id,
        summary,
        description: "",
        takes: Takes::Nothing,
        gives,
        group: Group::Discovery,
    }
}

const JSON: Gives = Gives::Document("application/json");

/// The media type of `/.well-known/api-catalog` (RFC 9727 §4.2).
pub(super) const LINKSET: &str =
    "application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\"";

/// The media type of `/metrics`.
pub(super) const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

impl Route {
    pub(super) const VERIFY_SCHEMA: Route = Route {
        method: Method::Post,
        path: "/verify/schema",
        id: "verify_schema",
        summary: "Check an output, and get a signed receipt",
        description: "The body is judged as it was sent: duplicate members are refused and every \
                      digit counts. A `fail` is an answer, with status 200. The whole answer is a \
                      receipt: hand it on unchanged. With an `agent_id` that does not begin with \
                      `test-`, the result is recorded for that agent.",
        takes: Takes::Request,
        gives: Gives::Response,
        group: Group::Checks,
    };
    pub(super) const VERIFY_DELIVERABLE: Route = Route {
        path: "/verify/deliverable",
        id: "verify_deliverable",
        summary: "The same as POST /verify/schema",
        description: "",
        ..Route::VERIFY_SCHEMA
    };
    pub(super) const RECEIPT_CHECK: Route = Route {
        method: Method::Post,
        path: "/receipt/check",
        id: "check_receipt",
        summary: "Check a receipt, step by step",
        description: "Nothing is fetched: send the issuer's agent-card or public key along. What \
                      is not given is not checked, and its step says how to give it. An `invalid` \
                      receipt is an answer, with status 200. It is free; only `recheck`, which \
                      makes the checks again, counts as a check.",
        takes: Takes::Receipt,
        gives: Gives::CheckedReceipt,
        group: Group::Checks,
    };
    pub(super) const MCP: Route = Route {
        method: Method::Post,
        path: "/mcp",
        id: "mcp",
        summary: "Checks, receipts and scores as tools of the Model Context Protocol",
        description: "",
        takes: Takes::Messages,
        gives: Gives::Messages,
        group: Group::Checks,
    };
    pub(super) const SCORE: Route = Route {
        method: Method::Get,
        path: "/score/{agent_id}",
        id: "get_verification_record",
        summary: "The signed score of an agent's recorded checks",
        description: "Newer results weigh more. Of an unknown agent `reason` is `no_data`. The id \
                      is a label that callers chose, not an identity.",
        takes: Takes::AgentId,
        gives: Gives::Score,
        group: Group::Records,
    };
    pub(super) const REPUTATION: Route = Route {
        method: Method::Get,
        path: "/reputation/{agent_id}",
        id: "get_reputation",
        summary: "The counts of an agent's recorded checks, not signed",
        description: "",
        takes: Takes::AgentId,
        gives: Gives::Reputation,
        group: Group::Records,
    };
    pub(super) const HEALTH: Route = Route {
        method: Method::Get,
        path: "/health",
        id: "health",
        summary: "200 while the server and its ledger work",
        description: "",
        takes: Takes::Nothing,
        gives: Gives::Health,
        group: Group::Operation,
    };
    pub(super) const METRICS: Route = Route {
        group: Group::Operation,
        ..document("/metrics", "metrics", "Counts for Prometheus", Gives::Text(OPENMETRICS))
    };
    pub(super) const INDEX: Route = document(
        "/",
        "index",
        "A page for people; with Accept: application/json, an index of what is here",
        Gives::Index,
    );
    pub(super) const AGENT_CARD: Route = document(
        "/.well-known/agent-card.json",
        "agent_card",
        "The agent-card: who signs here, and every public key that ever did",
        JSON,
    );
    pub(super) const OLD_AGENT_CARD: Route = document(
        "/.well-known/agent.json",
        "old_agent_card",
        "The agent-card at its older path",
        JSON,
    );
    pub(super) const API_CATALOG: Route = document(
        "/.well-known/api-catalog",
        "api_catalog",
        "Where all documents are (RFC 9727)",
        Gives::Document(LINKSET),
    );
    pub(super) const X402: Route = document(
        "/.well-known/x402",
        "x402",
        "What is charged for, and how it can be paid; an empty list where nothing is",
        JSON,
    );
    pub(super) const LLMS: Route = document(
        "/llms.txt",
        "llms",
        "What there is, for language models",
        Gives::Text("text/plain; charset=utf-8"),
    );
    pub(super) const LLMS_FULL: Route = document(
        "/llms-full.txt",
        "llms_full",
        "llms.txt with worked examples",
        Gives::Text("text/plain; charset=utf-8"),
    );
    pub(super) const OPENAPI: Route =
        document("/openapi.json", "openapi", "This interface in OpenAPI 3.1", JSON);
    pub(super) const DOCS: Route = document(
        "/docs",
        "docs",
        "The interface to read and to try out, in a browser",
        Gives::Text("text/html; charset=utf-8"),
    );

    /// A part of a page, which no document names.
    pub(super) const fn asset(path: &'static str) -> Route {
        document(path, path, "", Gives::Asset)
    }

    /// Whether it is one that documents name.
    pub(super) fn is_named(&self) -> bool {
        self.gives != Gives::Asset
    }
}

/// What a server has.
pub(super) struct Catalog<'a> {
    pub(super) app: &'a App,
    /// The routes, in the order in which documents list them
    pub(super) routes: Vec<Route>,
}

impl Catalog<'_> {
    /// The address of a path.
    pub(super) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.app.identity.base_url)
    }

    pub(super) fn has(&self, route: &Route) -> bool {
        self.routes.iter().any(|there| there.path == route.path)
    }

    /// The routes that documents name.
    pub(super) fn named(&self) -> impl Iterator<Item = &Route> {
        self.routes.iter().filter(|route| route.is_named())
    }

    /// Where the tools can be called, and their names; none where MCP is off.
    pub(super) fn mcp(&self) -> Option<(&str, Vec<&'static str>)> {
        let url = self.app.identity.mcp_url.as_deref().filter(|_| self.has(&Route::MCP))?;
        Some((url, mcp::tools().map(mcp::Tool::name).collect()))
    }

    /// What is charged here.
    pub(super) fn terms(&self) -> Option<&Terms> {
        self.app.payments.as_ref().map(|payments| payments.terms())
    }

    /// What is charged for a route.
    pub(super) fn charge(&self, route: &Route) -> Option<(&Terms, Good)> {
        let good = match route.gives {
            Gives::Response => Good::Check,
            Gives::Score => Good::Score,
            _ => return None,
        };
        self.terms().map(|terms| (terms, good))
    }

    /// The errors that can be met here, in the order of the whole list.
    pub(super) fn all_errors(&self) -> Vec<ErrorCode> {
        let mut met = vec![ErrorCode::NOT_FOUND, ErrorCode::METHOD_NOT_ALLOWED];
        met.extend(self.routes.iter().flat_map(|route| self.errors(route)));
        ErrorCode::ALL.iter().copied().filter(|code| met.contains(code)).collect()
    }

    /// The errors that a route can answer with.
    pub(super) fn errors(&self, route: &Route) -> Vec<ErrorCode> {
        let mut errors = vec![ErrorCode::FORBIDDEN, ErrorCode::INTERNAL_ERROR];
        if matches!(route.takes, Takes::Request | Takes::Receipt) {
            errors.extend([
                ErrorCode::INVALID_JSON,
                ErrorCode::INVALID_REQUEST,
                ErrorCode::REQUEST_TOO_LARGE,
                ErrorCode::UNSUPPORTED_MEDIA_TYPE,
                ErrorCode::REQUEST_TIMEOUT,
                ErrorCode::OVERLOADED,
            ]);
        }
        match route.takes {
            Takes::Request => errors.push(ErrorCode::CHECK_UNDECIDED),
            Takes::AgentId => errors.extend([
                ErrorCode::INVALID_REQUEST,
                // Without an id it is another path.
                ErrorCode::NOT_FOUND,
            ]),
            _ => {}
        }
        match route.gives {
            Gives::Response | Gives::CheckedReceipt if self.app.allowance.is_some() => {
                // Where it can be paid for, nothing but the recheck of a receipt is.
                let paid = self.charge(route).is_some();
                errors.extend((!paid).then_some(ErrorCode::RATE_LIMITED));
            }
            _ => {}
        }
        if matches!(route.gives, Gives::Response | Gives::Score | Gives::Reputation | Gives::Health)
        {
            errors.push(ErrorCode::LEDGER_UNAVAILABLE);
        }
        if self.charge(route).is_some() {
            errors.push(ErrorCode::FACILITATOR_UNAVAILABLE);
        }
        errors
    }
}
