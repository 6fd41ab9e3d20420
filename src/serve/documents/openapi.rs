//! `/openapi.json`: the routes of the offer, with schemas that are generated from the types that are
//! sent. What is taken is described as MCP describes it.

use std::collections::BTreeMap;

use agent_output_verifier::check_receipt::CheckedResponse;
use agent_output_verifier::error::{ErrorBody, ErrorCode, PaymentErrorCode};
use agent_output_verifier::request::MAX_ID;
use agent_output_verifier::response::Response as CheckResponse;
use agent_output_verifier::response::VERIFIER_VERSION;
use agent_output_verifier::score::{Reputation, ScoreResponse};
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::path::{
    HttpMethod, Operation, OperationBuilder, ParameterBuilder, ParameterIn, PathItem,
};
use utoipa::openapi::request_body::{RequestBody, RequestBodyBuilder};
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::schema::{Object, SchemaType, Type};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{
    Components, Content, Header, InfoBuilder, LicenseBuilder, OpenApiBuilder, PathsBuilder, Ref,
    RefOr, Required, Schema, ServerBuilder,
};

use super::super::app::EXAMPLE_REQUEST;
use super::super::catalog::{Catalog, Gives, Group, Method, Route, SUMMARY, Takes};
use super::super::http::Health;
use super::super::mcp::schemas;

use super::super::reply::{
    ALLOWANCE_HEADERS, PAYMENT_REQUIRED, PAYMENT_RESPONSE, PAYMENT_SIGNATURE, PaymentNeeded,
};

/// The names of the schemas that are written as JSON.
const REQUEST: &str = "CheckRequest";
const RECEIPT_REQUEST: &str = "ReceiptCheckRequest";

/// The whole description.
pub(super) fn openapi(catalog: &Catalog<'_>) -> Value {
    let described = |route: &&Route| route.is_named() && route.gives != Gives::Messages;
    let mut paths = PathsBuilder::new();
    for route in catalog.named().filter(described) {
        let method = match route.method {
            Method::Get => HttpMethod::Get,
            Method::Post => HttpMethod::Post,
        };
        paths = paths.path(route.path, PathItem::new(method, operation(catalog, route)));
    }
    let license = LicenseBuilder::new().name("MIT OR Apache-2.0");
    let info = InfoBuilder::new()
        .title(&catalog.app.identity.name)
        .version(VERIFIER_VERSION)
        .description(Some(description(catalog)))
        .license(Some(license.build()));
    let api = OpenApiBuilder::new()
        .info(info)
        .servers(Some([ServerBuilder::new().url(&catalog.app.identity.base_url).build()]))
        .tags(Some(Group::ALL.map(|group| TagBuilder::new().name(group.name()).build())))
        .paths(paths)
        .components(Some(components(catalog)))
        .build();
    // Plain data: it cannot fail to be written.
    let mut api = serde_json::to_value(api).unwrap_or_default();
    let schemas = &mut api["components"]["schemas"];
    schemas[REQUEST] = widened(schemas::request());
    schemas[RECEIPT_REQUEST] = widened(schemas::receipt_request());
    // A part that is there or not is none that is null.
    let parts = &mut schemas[CheckResponse::name().as_ref()]["allOf"];
    let full = parts[0]["oneOf"][0].take();
    parts[0] = json!({"anyOf": [
        full,
        {"title": "Compact", "description": "With `detail: compact`", "not": {"required": ["errors"]}},
    ]});
    api
}

fn description(catalog: &Catalog<'_>) -> String {
    let mut text = format!(
        "{SUMMARY} Verdicts are computed, not judged by a model: the same request always comes to the same \
         result. Every answer to a check is a signed receipt.\n\n\
         ## Free allowance\n\n{} {}\n\n## Errors\n\n\
         All errors are of one shape. Nothing is charged for an error, and what was sent is not \
         repeated.\n\n| code | status | when |\n| --- | --- | --- |\n",
        catalog.app.free_checks(),
        catalog.app.price(),
    );
    for code in catalog.all_errors() {
        if let Some(status) = code.status {
            text.push_str(&format!("| `{}` | {status} | {} |\n", code.code, code.when));
        }
    }
    if catalog.terms().is_some() {
        text.push_str("\n## Payment errors\n\n| code | when |\n| --- | --- |\n");
        for PaymentErrorCode { code, when, .. } in PaymentErrorCode::ALL {
            text.push_str(&format!("| `{code}` | {when} |\n"));
        }
    }
    if let Some((url, _)) = catalog.mcp() {
        text.push_str(&format!(
            "\nThe same is there as tools of the Model Context Protocol, at {url}.\n"
        ));
    }
    text
}

fn components(catalog: &Catalog<'_>) -> Components {
    let mut schemas: Vec<(String, RefOr<Schema>)> = Vec::new();
    fn add<T: ToSchema>(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(schemas);
    }
    add::<CheckResponse<'_>>(&mut schemas);
    add::<ScoreResponse<'_>>(&mut schemas);
    add::<Reputation<'_>>(&mut schemas);
    add::<CheckedResponse<'_>>(&mut schemas);
    add::<Health<'_>>(&mut schemas);
    add::<ErrorBody>(&mut schemas);
    if catalog.terms().is_some() {
        add::<PaymentNeeded>(&mut schemas);
    }
    let mut components = Components::new();
    components.schemas.extend(schemas);
    components
}

fn operation(catalog: &Catalog<'_>, route: &Route) -> Operation {
    let mut operation = OperationBuilder::new()
        .operation_id(Some(route.id))
        .tag(route.group.name())
        .summary(Some(route.summary))
        .response("200", answer(catalog, route));
    if !route.description.is_empty() {
        operation = operation.description(Some(route.description));
    }
    match route.takes {
        Takes::Request => operation = operation.request_body(Some(body(REQUEST, &EXAMPLE_REQUEST))),
        Takes::Receipt => {
            let example = json!({"receipt": {}, "request": {}, "agent_card": {}});
            operation = operation.request_body(Some(body(RECEIPT_REQUEST, &example)));
        }
        Takes::AgentId => {
            let id = Object::builder()
                .schema_type(SchemaType::Type(Type::String))
                .min_length(Some(1))
                .max_length(Some(MAX_ID));
            let parameter = ParameterBuilder::new()
                .name("agent_id")
                .parameter_in(ParameterIn::Path)
                .required(Required::True)
                .description(Some("The agent's id, as checks were sent with it"))
                .example(Some("seller-7".into()))
                .schema(Some(id.build()));
            operation = operation.parameter(parameter);
        }
        Takes::Nothing | Takes::Messages => {}
    }
    let mut by_status: BTreeMap<u16, Vec<ErrorCode>> = BTreeMap::new();
    for code in catalog.errors(route) {
        if let Some(status) = code.status {
            by_status.entry(status).or_default().push(code);
        }
    }
    for (status, codes) in by_status {
        operation = operation.response(status.to_string(), refusal(&codes));
    }
    if catalog.charge(route).is_some() {
        let payment = ParameterBuilder::new()
            .name(PAYMENT_SIGNATURE.as_str())
            .parameter_in(ParameterIn::Header)
            .description(Some("A payment of x402 version 2, in base64"))
            .schema(Some(Object::with_type(Type::String)));
        operation = operation.parameter(payment).response("402", payment_required());
    }
    operation.build()
}

fn body(name: &str, example: &Value) -> RequestBody {
    let mut content = Content::new(Some(Ref::from_schema_name(name)));
    content.example = Some(example.clone());
    RequestBodyBuilder::new()
        .content("application/json", content)
        .required(Some(Required::True))
        .build()
}

fn answer(catalog: &Catalog<'_>, route: &Route) -> Response {
    let schema = |name: &str| Content::new(Some(Ref::from_schema_name(name)));
    let any = || Content::new(Some(Object::with_type(Type::Object)));
    let text = || Content::new(Some(Object::with_type(Type::String)));
    let mut response = ResponseBuilder::new().description("The answer");
    if catalog.charge(route).is_some() {
        let settled = header(Type::String, "The settlement, where it was paid for, in base64");
        response = response.header(PAYMENT_RESPONSE.as_str(), settled);
    }
    match route.gives {
        Gives::Response => {
            let mut response = response.content("application/json", schema(&CheckResponse::name()));
            if catalog.app.allowance.is_some() {
                let [limit, remaining, resets] = ALLOWANCE_HEADERS;
                response = response
                    .header(limit.as_str(), header(Type::Integer, "Free checks a client and day"))
                    .header(remaining.as_str(), header(Type::Integer, "Those that are left today"))
                    .header(resets.as_str(), header(Type::String, "The next midnight UTC"));
            }
            response
        }
        Gives::Score => response.content("application/json", schema(&ScoreResponse::name())),
        Gives::Reputation => response.content("application/json", schema(&Reputation::name())),
        Gives::CheckedReceipt => {
            response.content("application/json", schema(&CheckedResponse::name()))
        }
        Gives::Health => response.content("application/json", schema(&Health::name())),
        Gives::Document(media_type) => response.content(essence(media_type), any()),
        Gives::Text(media_type) => response.content(essence(media_type), text()),
        Gives::Index => response.content("text/html", text()).content("application/json", any()),
        Gives::Asset | Gives::Messages => response,
    }
    .build()
}

/// A media type without its parameters.
fn essence(media_type: &str) -> &str {
    media_type.split(';').next().unwrap_or(media_type)
}

fn header(of: Type, description: &str) -> Header {
    let mut header = Header::new(Object::with_type(of));
    header.description = Some(description.to_owned());
    header
}

fn refusal(codes: &[ErrorCode]) -> Response {
    let when: Vec<String> =
        codes.iter().map(|code| format!("`{}`: {}", code.code, code.when)).collect();
    let content = Content::new(Some(Ref::from_schema_name(ErrorBody::name())));
    let response =
        ResponseBuilder::new().description(when.join("; ")).content("application/json", content);
    let response = if codes.iter().any(|code| code.retryable) {
        response.header("retry-after", header(Type::Integer, "Seconds to wait"))
    } else {
        response
    };
    response.build()
}

fn payment_required() -> Response {
    let content = Content::new(Some(Ref::from_schema_name(PaymentNeeded::name())));
    ResponseBuilder::new()
        .description(
            "It has its price. The header and the body say how to pay; `payment_error` why a \
             payment was refused.",
        )
        .content("application/json", content)
        .header(PAYMENT_REQUIRED.as_str(), header(Type::String, "x402 version 2, in base64"))
        .build()
}

/// As MCP describes it, with what that leaves out for clients that know one type at a place: `null`
/// for what is omitted, and a boolean for a schema.
fn widened(mut schema: Value) -> Value {
    widen(&mut schema);
    if let Some(expected) = schema.pointer_mut("/properties/expected_schema/type") {
        *expected = json!(["object", "boolean"]);
    }
    schema
}

/// Properties that are nothing when they are `null`; other optional ones are refused then.
const NULLABLE: [&str; 18] = [
    "agent_id",
    "rules",
    "bounds",
    "equals_field",
    "equals",
    "other_field",
    "value",
    "in_field",
    "values",
    "min",
    "max",
    "request",
    "agent_card",
    "public_key",
    "key_version",
    "issuers",
    "require",
    "recheck",
];

fn widen(schema: &mut Value) {
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        for (name, property) in properties {
            let types = match &property["type"] {
                Value::String(one) => vec![json!(one)],
                Value::Array(types) => types.clone(),
                _ => continue,
            };
            if NULLABLE.contains(&name.as_str()) {
                property["type"] = types.into_iter().chain([json!("null")]).collect();
            }
            widen(property);
        }
    }
    for below in ["items", "additionalProperties"] {
        if let Some(below) = schema.get_mut(below) {
            widen(below);
        }
    }
}
