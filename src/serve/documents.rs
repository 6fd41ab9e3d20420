//! What the server says of itself, for those who look for it.

use agent_output_verifier::agent_card::{Card, Extension, Interface, Skill};
use agent_output_verifier::receipt::Kind;
use serde_json::{Value, json};

use super::allowance::Allowance;
use super::app::App;
use super::mcp;
use super::payment::{Good, PayTo, Terms, X402_VERSION};

/// The agent-card: who signs here, with which keys, and what can be asked for.
pub(super) fn agent_card(app: &App) -> Card {
    let mut card = Card::new(&app.key, &[Kind::Verification, Kind::Score]);
    card.name.clone_from(&app.identity.name);
    card.description =
        "Checks an agent's JSON output against a JSON Schema, bounds and cross-field \
                        rules, and signs what was found."
            .to_owned();
    card.url = Some(app.identity.base_url.clone());
    card.preferred_transport = Some("REST");
    card.supported_interfaces = vec![Interface {
        url: app.identity.base_url.clone(),
        protocol_binding: "REST",
        protocol_version: env!("CARGO_PKG_VERSION"),
    }];
    card.supported_interfaces.extend(app.identity.mcp_url.clone().map(|url| Interface {
        url,
        protocol_binding: "MCP",
        protocol_version: mcp::PROTOCOL_VERSION,
    }));
    card.skills = vec![
        Skill {
            id: "verify_schema",
            name: "Verify an output",
            description: "Checks a JSON output against a JSON Schema, bounds and cross-field rules: \
                          pass or fail, scores, hints for mending, and a signed receipt.",
            tags: &["verification", "json-schema", "receipt"],
        },
        Skill {
            id: "get_verification_record",
            name: "Look up an agent's record",
            description: "The signed score of an agent's recorded checks. The agent's id is a \
                          label that callers chose, not an identity.",
            tags: &["score", "reputation"],
        },
    ];
    card.extend(mcp_extension(app));
    if app.payments.is_some() {
        card.extend(Extension {
            uri: "https://github.com/google-a2a/a2a-x402/v0.1".to_owned(),
            description: "Payments by x402.",
            required: false,
            params: json!({}),
        });
    }
    card
}

/// Where and how the tools can be called, and what is free.
fn mcp_extension(app: &App) -> Extension {
    let tools =
        mcp::tools().map(|tool| json!({"toolName": tool.name(), "access": access(app, tool)}));
    Extension {
        uri: "urn:json-schema-verifier:extension:mcp:v1".to_owned(),
        description: "The checks as tools of the Model Context Protocol.",
        required: false,
        params: json!({
            "transport": "streamable-http",
            "url": app.identity.mcp_url,
            "tools": tools.collect::<Vec<_>>(),
        }),
    }
}

/// What calls of a tool use up or cost.
fn access(app: &App, tool: mcp::Tool) -> Value {
    let limit = app.allowance.as_ref().map(Allowance::limit);
    let trial = |max_input_bytes: usize, then: &str| {
        json!({
            "freeTrial": {"callsPerClientPerDay": limit, "maxInputBytes": max_input_bytes},
            "afterFreeTrial": then,
        })
    };
    let terms = app.payments.as_ref().map(|payments| payments.terms());
    let price = |terms: &Terms, good| format!("x402 payment, {} USDC per call", terms.price(good));
    match (tool.good(), terms) {
        (Some(Good::Check), Some(terms)) => trial(terms.free_max_body, &price(terms, Good::Check)),
        (Some(Good::Check), None) if limit.is_some() => {
            trial(app.bodies.limit(), "refused until midnight UTC")
        }
        (Some(Good::Score), Some(terms)) => {
            json!({"price": price(terms, Good::Score) + ", where there is a score"})
        }
        _ => json!({"free": true}),
    }
}

/// What can be paid for here, and how. Where nothing is charged, the list is empty.
pub(super) fn x402(app: &App) -> Value {
    let priced = [
        ("/verify/schema", "POST", Good::Check),
        ("/verify/deliverable", "POST", Good::Check),
        ("/score/{agent_id}", "GET", Good::Score),
    ];
    let resources: Vec<Value> = app.payments.as_ref().map_or_else(Vec::new, |payments| {
        let terms = payments.terms();
        let resource = |(path, method, good)| {
            json!({
                "url": format!("{}{path}", app.identity.base_url),
                "method": method,
                "price": terms.price(good).to_string(),
                "currency": "USDC",
                "paymentOptions": payment_options(terms, good),
            })
        };
        priced.into_iter().map(resource).collect()
    });
    json!({"x402Version": X402_VERSION, "resources": resources})
}

fn payment_options(terms: &Terms, good: Good) -> Vec<Value> {
    let option = |to: &PayTo| {
        json!({
            "chain": to.network.name(),
            "network": to.network.id(),
            "payTo": to.address,
            "asset": to.network.asset(),
            "amount": terms.price(good).units().to_string(),
        })
    };
    terms.pay_to.iter().map(option).collect()
}
