//! What the server says of itself, for those who look for it. All of it is made of one [`Catalog`],
//! once, when the server starts.

mod index;
mod llms;
mod openapi;

use std::collections::HashMap;

use agent_output_verifier::agent_card::{Card, Extension, Interface, Skill};
use agent_output_verifier::receipt::Kind;
use axum::body::Bytes;
use serde_json::{Value, json};

use super::allowance::Allowance;
use super::app::App;
use super::catalog::{Catalog, Gives, Route, SUMMARY};
use super::mcp;
use super::page;
use super::payment::{Good, PayTo, Terms, X402_VERSION};

/// A document, as it is sent.
pub(super) struct Document {
    pub(super) media_type: &'static str,
    pub(super) body: Bytes,
    /// The policy of what a browser may load with it, where it is a page or a part of one
    pub(super) policy: Option<&'static str>,
}

/// Every document, by its path.
pub(super) struct Documents {
    by_path: HashMap<&'static str, Document>,
    /// What `/` answers to programs
    index: Document,
}

impl Documents {
    pub(super) fn new(catalog: &Catalog<'_>) -> Documents {
        let card = Bytes::from(agent_card(catalog.app).to_json());
        let made = [
            (Route::AGENT_CARD, card.clone()),
            (Route::OLD_AGENT_CARD, card),
            (Route::API_CATALOG, pretty(&index::api_catalog(catalog))),
            (Route::X402, pretty(&x402(catalog))),
            (Route::LLMS, llms::llms(catalog).into()),
            (Route::LLMS_FULL, llms::llms_full(catalog).into()),
            (Route::OPENAPI, pretty(&openapi::openapi(catalog))),
        ];
        let mut by_path = HashMap::new();
        for (route, body) in made {
            if let Gives::Document(media_type) | Gives::Text(media_type) = route.gives {
                by_path.insert(route.path, Document { media_type, body, policy: None });
            }
        }
        for part in &page::PARTS {
            let (media_type, body, policy) = (part.media_type, part.body(), Some(part.policy));
            by_path.insert(part.path, Document { media_type, body, policy });
        }
        let body = pretty(&index::index(catalog));
        let index = Document { media_type: "application/json", body, policy: None };
        Documents { by_path, index }
    }

    pub(super) fn get(&self, path: &str) -> Option<&Document> {
        self.by_path.get(path)
    }

    /// What `/` answers to a client that prefers JSON.
    pub(super) fn index(&self) -> &Document {
        &self.index
    }
}

fn pretty(value: &Value) -> Bytes {
    format!("{value:#}\n").into()
}

/// The agent-card: who signs here, with which keys, and what can be asked for.
pub(super) fn agent_card(app: &App) -> Card {
    let mut card = Card::new(&app.key, &[Kind::Verification, Kind::Score]);
    card.name.clone_from(&app.identity.name);
    card.description = SUMMARY.to_owned();
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
        Skill {
            id: "check_receipt",
            name: "Check a receipt",
            description: "Checks a receipt of any issuer step by step: shape, key, issuer, \
                          signature, time, and the hashes of the request that it is about.",
            tags: &["receipt", "signature", "ed25519"],
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
fn x402(catalog: &Catalog<'_>) -> Value {
    let resource = |route: &Route| {
        let (terms, good) = catalog.charge(route)?;
        Some(json!({
            "url": catalog.url(route.path),
            "method": route.method.name(),
            "price": terms.price(good).to_string(),
            "currency": "USDC",
            "paymentOptions": payment_options(terms, good),
        }))
    };
    let resources: Vec<Value> = catalog.named().filter_map(resource).collect();
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
