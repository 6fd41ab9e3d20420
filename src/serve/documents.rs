//! What the server says of itself, for those who look for it.

use agent_output_verifier::agent_card::{Card, Extension, Interface, Skill};
use agent_output_verifier::receipt::Kind;
use serde_json::json;

use super::app::App;
use super::mcp;

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
    card
}

/// Where and how the tools can be called, and what is free.
fn mcp_extension(app: &App) -> Extension {
    let tools = mcp::tool_names().map(|name| {
        let limited = app.allowance.as_ref().filter(|_| mcp::uses_allowance(name));
        let access = match limited {
            Some(allowance) => json!({
                "freeTrial": {
                    "callsPerClientPerDay": allowance.limit(),
                    "maxInputBytes": app.bodies.limit(),
                },
                "afterFreeTrial": "refused until midnight UTC",
            }),
            None => json!({"free": true}),
        };
        json!({"toolName": name, "access": access})
    });
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
