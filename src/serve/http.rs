//! The REST interface: routes, and what surrounds every request.

use std::any::Any;
use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use agent_output_verifier::error::{ErrorBody, ErrorCode};
use agent_output_verifier::response::VERIFIER_VERSION;
use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{ConnectInfo, MatchedPath, Path, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::{MethodRouter, get, post};
use serde::Serialize;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{AllowOrigin, CorsLayer};
use utoipa::ToSchema;

use super::accept;
use super::app::{App, Call};
use super::catalog::{Catalog, OPENMETRICS, Route};
use super::client::{Client, client};
use super::documents::Documents;
use super::hosts::Hosts;
use super::mcp;
use super::origins::Origins;
use super::page;
use super::receipt;
use super::reply;
use crate::random::new_id;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Headers of every answer that does not bring its own.
const SECURITY_HEADERS: [(HeaderName, &str); 5] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    (header::CACHE_CONTROL, "no-store"),
];

/// How the interface is set up.
pub(crate) struct Options {
    pub(crate) hosts: Hosts,
    pub(crate) trust_proxy: bool,
    pub(crate) cors_origins: Vec<HeaderValue>,
    /// Whose pages may use `/mcp`
    pub(crate) origins: Origins,
    pub(crate) metrics: bool,
}

/// What all routes share.
struct Site {
    app: Arc<App>,
    options: Arc<Options>,
    documents: Documents,
    /// The paths of the routes that have no parameter
    paths: HashSet<&'static str>,
}

/// The whole interface.
pub(crate) fn router(app: Arc<App>, options: Options) -> Router {
    let options = Arc::new(options);
    // What is declared here is what documents tell of.
    let mut declared: Vec<(Route, MethodRouter<Arc<Site>>)> = vec![
        (Route::VERIFY_SCHEMA, post(verify)),
        (Route::VERIFY_DELIVERABLE, post(verify)),
        (Route::RECEIPT_CHECK, post(check_receipt)),
        (Route::MCP, mcp::route(Arc::clone(&app), Arc::clone(&options))),
        (Route::SCORE, get(score)),
        (Route::REPUTATION, get(reputation)),
        (Route::HEALTH, get(health)),
        (Route::INDEX, get(index)),
    ];
    if options.metrics {
        declared.push((Route::METRICS, get(metrics)));
    }
    let documents = [
        Route::DOCS,
        Route::LLMS,
        Route::LLMS_FULL,
        Route::OPENAPI,
        Route::AGENT_CARD,
        Route::OLD_AGENT_CARD,
        Route::API_CATALOG,
        Route::X402,
    ];
    declared.extend(documents.map(|route| (route, get(document))));
    let pages = [Route::INDEX.path, Route::DOCS.path];
    let parts = page::PARTS.iter().map(|part| part.path).filter(|path| !pages.contains(path));
    declared.extend(parts.map(|path| (Route::asset(path), get(document))));

    let routes: Vec<Route> = declared.iter().map(|(route, _)| *route).collect();
    let paths = routes.iter().map(|route| route.path).filter(|path| !path.contains('{'));
    let paths = paths.collect();
    let documents = Documents::new(&Catalog { app: &app, routes });
    let site = Arc::new(Site { app: Arc::clone(&app), options, documents, paths });
    let declared = declared.into_iter();
    let router = declared.fold(Router::new(), |router, (route, to)| router.route(route.path, to));
    let cors = (!site.options.cors_origins.is_empty()).then(|| cors(&site.options.cors_origins));
    let router = router
        .fallback(elsewhere)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(tower::util::option_layer(cors))
        .layer(from_fn_with_state(Arc::clone(&site), check_host))
        .layer(CatchPanicLayer::custom(move |thrown| panicked(&app, thrown)))
        .layer(from_fn_with_state(Arc::clone(&site), observe));
    router.with_state(site)
}

fn cors(origins: &[HeaderValue]) -> CorsLayer {
    let allowed = if origins.iter().any(|origin| origin == "*") {
        AllowOrigin::any()
    } else {
        AllowOrigin::list(origins.iter().cloned())
    };
    CorsLayer::new()
        .allow_origin(allowed)
        .allow_methods([Method::GET, Method::POST])
        .allow_headers(
            [&[header::CONTENT_TYPE, reply::PAYMENT_SIGNATURE], &mcp::HEADERS[..]].concat(),
        )
        .expose_headers(
            [
                &[REQUEST_ID, header::RETRY_AFTER],
                &[reply::PAYMENT_REQUIRED, reply::PAYMENT_RESPONSE],
                &reply::ALLOWANCE_HEADERS[..],
            ]
            .concat(),
        )
}

async fn verify(State(site): State<Arc<Site>>, request: Request) -> Response {
    let Site { app, options, .. } = &*site;
    let (parts, body) = request.into_parts();
    let _under_way = match app.enter() {
        Ok(permit) => permit,
        Err(error) => return reply::error(app, error),
    };
    let text = match app.bodies.read(&parts.headers, body).await {
        Ok(text) => text,
        Err(error) => return reply::error(app, error),
    };
    let call = call(app, options, &parts);
    if text.as_bytes().is_empty()
        && call.payment.is_none()
        && let Some(refusal) = app.probe(&call)
    {
        return reply::answer(app, Err(refusal));
    }
    let answered = app.check(text, call).await;
    reply::answer(app, answered)
}

async fn check_receipt(State(site): State<Arc<Site>>, request: Request) -> Response {
    let Site { app, options, .. } = &*site;
    let (parts, body) = request.into_parts();
    let _under_way = match app.enter() {
        Ok(permit) => permit,
        Err(error) => return reply::error(app, error),
    };
    let checked = match app.bodies.read(&parts.headers, body).await {
        Ok(text) => receipt::check_receipt(app, text, caller(options, &parts)).await,
        Err(error) => Err(error.into()),
    };
    reply::answer(app, checked)
}

fn caller(options: &Options, parts: &Parts) -> Option<Client> {
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
    peer.map(|peer| client(peer.0, &parts.headers, options.trust_proxy))
}

/// What comes with a request beside its body.
fn call(app: &App, options: &Options, parts: &Parts) -> Call {
    Call {
        client: caller(options, parts),
        url: format!("{}{}", app.identity.base_url, parts.uri.path()),
        payment: reply::offer(&parts.headers),
    }
}

async fn score(
    State(site): State<Arc<Site>>,
    agent_id: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let Site { app, options, .. } = &*site;
    let (parts, _) = request.into_parts();
    let answered = match agent_id {
        Ok(Path(agent_id)) => app.score(&agent_id, call(app, options, &parts)).await,
        Err(_) => Err(unreadable_id().into()),
    };
    reply::answer(app, answered)
}

async fn reputation(
    State(site): State<Arc<Site>>,
    agent_id: Result<Path<String>, PathRejection>,
) -> Response {
    let answered = match agent_id {
        Ok(Path(agent_id)) => site.app.reputation(&agent_id).await,
        Err(_) => Err(unreadable_id()),
    };
    answered.map_or_else(|error| reply::error(&site.app, error), reply::json)
}

fn unreadable_id() -> ErrorBody {
    let fix = "Percent-encode its UTF-8 bytes.";
    ErrorBody::invalid_field("agent_id", "is not UTF-8", fix)
}

/// The state of the server.
#[derive(Serialize, ToSchema)]
pub(super) struct Health<'a> {
    /// Always `ok`: what does not work is an error
    status: &'static str,
    service: &'a str,
    version: &'static str,
}

async fn health(State(site): State<Arc<Site>>) -> Response {
    match site.app.healthy().await {
        Ok(()) => {
            let (service, version) = (&site.app.identity.name, VERIFIER_VERSION);
            let health = Health { status: "ok", service, version };
            // Plain data: it cannot fail to be written.
            reply::json(serde_json::to_vec(&health).unwrap_or_default())
        }
        Err(error) => reply::error(&site.app, error),
    }
}

/// A document that is the same for everybody.
async fn document(State(site): State<Arc<Site>>, uri: Uri) -> Response {
    match site.documents.get(uri.path()) {
        Some(document) if uri.path() == Route::API_CATALOG.path => {
            linked(&site, reply::document(document))
        }
        Some(document) => reply::document(document),
        None => not_found(&site),
    }
}

/// The page for people, the index for programs.
async fn index(State(site): State<Arc<Site>>, headers: HeaderMap) -> Response {
    let page = site.documents.get(Route::INDEX.path).filter(|_| !accept::prefers_json(&headers));
    let mut response = linked(&site, reply::document(page.unwrap_or(site.documents.index())));
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("Accept"));
    response
}

/// With the way to the catalog (RFC 9727 §3), which names everything else.
fn linked(site: &Site, mut response: Response) -> Response {
    // Whole, as all documents name it: behind a proxy the server may be below a path.
    let (base, path) = (&site.app.identity.base_url, Route::API_CATALOG.path);
    if let Ok(link) = HeaderValue::try_from(format!("<{base}{path}>; rel=\"api-catalog\"")) {
        response.headers_mut().insert(header::LINK, link);
    }
    response
}

async fn metrics(State(site): State<Arc<Site>>) -> Response {
    reply::typed(OPENMETRICS, site.app.metrics.text())
}

/// What has no route: near misses are told the way, relative as the server may be below a path.
async fn elsewhere(State(site): State<Arc<Site>>, uri: Uri) -> Response {
    // Browsers ask for it beside whatever has no icon of its own.
    if uri.path() == "/favicon.ico" {
        return reply::moved("page/icon.svg");
    }
    match uri.path().strip_suffix('/').filter(|path| site.paths.contains(path)) {
        Some(path) => {
            let last = path.rsplit('/').next().unwrap_or(path);
            reply::moved(&format!("../{last}"))
        }
        None => not_found(&site),
    }
}

fn not_found(site: &Site) -> Response {
    let message = "There is no such route. Nothing was charged.";
    reply::error(&site.app, ErrorBody::of(ErrorCode::NOT_FOUND, message))
}

async fn method_not_allowed(State(site): State<Arc<Site>>) -> Response {
    let message = "The route does not have this method. Nothing was charged.";
    reply::error(&site.app, ErrorBody::of(ErrorCode::METHOD_NOT_ALLOWED, message))
}

async fn check_host(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    if site.options.hosts.allows(request.uri(), request.headers()) {
        return next.run(request).await;
    }
    let message = "This server does not answer for the host that the request names. Behind a \
                   proxy, start it with --public-url. Nothing was charged.";
    reply::error(&site.app, ErrorBody::of(ErrorCode::FORBIDDEN, message))
}

/// What a panic becomes that no layer below has caught. What was thrown may hold something of the
/// request, and is not repeated.
fn panicked(app: &App, _thrown: Box<dyn Any + Send>) -> Response {
    reply::error(app, super::app::internal_error(&"a handler panicked"))
}

/// Numbers, counts, logs and dresses every answer.
async fn observe(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let _under_way = site.app.metrics.arrived();
    let request_id = new_id();
    let method = known_method(request.method());
    // The route as declared: the path itself holds what the client chose.
    let route = request.extensions().get::<MatchedPath>().cloned();
    let mut response = next.run(request).await;
    let route = route.as_ref().map_or("none", |route| route.as_str());
    let (status, took) = (response.status().as_u16(), started.elapsed());
    site.app.metrics.answered(route, method, status, took);
    let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
    if status >= 500 {
        tracing::warn!(request_id, method, route, status, micros, "answered");
    } else {
        tracing::debug!(request_id, method, route, status, micros, "answered");
    }
    let headers = response.headers_mut();
    headers.reserve(SECURITY_HEADERS.len() + 1);
    for (name, value) in SECURITY_HEADERS {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    if let Ok(value) = HeaderValue::try_from(request_id) {
        headers.insert(REQUEST_ID, value);
    }
    response
}

fn known_method(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::OPTIONS => "OPTIONS",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::PATCH => "PATCH",
        _ => "other",
    }
}
