//! Lists of what is here: for programs that ask for `/`, and the catalog of RFC 9727.

use agent_output_verifier::response::VERIFIER_VERSION;
use serde_json::{Value, json};

use super::super::catalog::{Catalog, Route, SUMMARY};

/// What `/` answers to programs.
pub(super) fn index(catalog: &Catalog<'_>) -> Value {
    let app = catalog.app;
    let routes = catalog.named().map(|route| {
        json!({
            "method": route.method.name(),
            "path": route.path,
            "url": catalog.url(route.path),
            "summary": route.summary,
        })
    });
    let mut index = json!({
        "name": app.identity.name,
        "description": SUMMARY,
        "version": VERIFIER_VERSION,
        "url": app.identity.base_url,
        "price": app.price(),
        "free_allowance": {
            "checks_per_client_and_day": app.allowance.as_ref().map(|allowance| allowance.limit()),
            "description": app.free_checks(),
        },
        "max_body_bytes": app.bodies.limit(),
        "routes": routes.collect::<Vec<_>>(),
    });
    if let Some((url, tools)) = catalog.mcp() {
        index["mcp"] = json!({"url": url, "tools": tools});
    }
    index
}

/// The catalog: the interfaces, and for each what describes it.
pub(super) fn api_catalog(catalog: &Catalog<'_>) -> Value {
    let link = |route: &Route, media_type: &str| json!({"href": catalog.url(route.path), "type": media_type});
    let rest = catalog.url("/");
    let mut items = vec![json!({"href": rest})];
    let mut contexts = vec![json!({
        "anchor": rest,
        "service-desc": [link(&Route::OPENAPI, "application/json")],
        "service-doc": [link(&Route::DOCS, "text/html"), link(&Route::LLMS, "text/plain")],
        "service-meta": [link(&Route::AGENT_CARD, "application/json")],
        "status": [link(&Route::HEALTH, "application/json")],
    })];
    if let Some((url, _)) = catalog.mcp() {
        items.push(json!({"href": url}));
        contexts.push(json!({
            "anchor": url,
            "service-doc": [link(&Route::LLMS, "text/plain")],
            "service-meta": [link(&Route::AGENT_CARD, "application/json")],
        }));
    }
    contexts.insert(0, json!({"anchor": catalog.url(Route::API_CATALOG.path), "item": items}));
    json!({"linkset": contexts})
}
