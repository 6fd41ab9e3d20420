//! `aov serve`: the checks over HTTP, with the hosted service's routes, and as tools over MCP.
//!
//! [`app::App`] is what all interfaces share; [`http`] and [`mcp`] put routes in front of it,
//! [`listen`] connections. It knows nothing of the command line.

mod accept;
mod allowance;
mod app;
mod body;
mod catalog;
mod charge;
mod client;
mod documents;
mod hosts;
mod http;
mod ledger;
mod listen;
mod loops;
mod mcp;
mod metrics;
mod origins;
mod page;
pub(crate) mod payment;
mod receipt;
mod reply;
mod signing;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use agent_output_verifier::key::KeyFile;
use agent_output_verifier::request::KnownRequirements;
use axum::http::HeaderValue;
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use allowance::Allowance;
use app::{App, Identity};
use body::Bodies;
use hosts::Hosts;
use ledger::Ledger;
pub(crate) use ledger::{OpenError, Place};
use loops::Loops;
use metrics::Metrics;
use origins::Origins;
use payment::Payments;

/// Requests under way at one time; more are turned away.
const MAX_UNDER_WAY: usize = 1024;

/// Bytes that the bodies of all requests under way may hold together.
const BODY_MEMORY: usize = 256 * 1024 * 1024;

/// How a server is set up.
pub(crate) struct Settings {
    pub(crate) listen: SocketAddr,
    /// What documents and receipts call the server; the address listened on where there is none.
    pub(crate) public_url: Option<String>,
    pub(crate) key: KeyFile,
    pub(crate) issuer_name: String,
    pub(crate) ledger: Place,
    /// Free checks a client and day; no limit where there is none.
    pub(crate) free_per_day: Option<u64>,
    /// None: nothing is charged.
    pub(crate) payments: Option<payment::Settings>,
    pub(crate) max_body: usize,
    pub(crate) trust_proxy: bool,
    pub(crate) cors_origins: Vec<HeaderValue>,
    pub(crate) metrics: bool,
}

/// Why a server did not start.
pub(crate) enum StartError {
    Ledger(OpenError),
    /// There is nothing to ask the facilitator with.
    Facilitator(reqwest::Error),
    Listen(io::Error),
    Runtime(io::Error),
}

/// Runs a server until it is told to stop. `ready` is told the address that it listens on.
pub(crate) fn run(settings: Settings, ready: impl FnOnce(SocketAddr)) -> Result<(), StartError> {
    run_with(settings, |settings, ledger| serve(settings, ledger, ready))
}

/// Runs a server for the process that started it, over standard input and output, until the input
/// ends or it is told to stop. `ready` is told when it begins.
pub(crate) fn run_stdio(settings: Settings, ready: impl FnOnce()) -> Result<(), StartError> {
    run_with(settings, |settings, ledger| serve_stdio(settings, ledger, ready))
}

fn run_with<F: Future<Output = Result<(), StartError>>>(
    settings: Settings,
    serve: impl FnOnce(Settings, Ledger) -> F,
) -> Result<(), StartError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(cores())
        // These make the checks that take longer.
        .max_blocking_threads(cores())
        .enable_all()
        .build()
        .map_err(StartError::Runtime)?;
    let (ledger, keeper) =
        Ledger::open(&settings.ledger, settings.payments.is_some()).map_err(StartError::Ledger)?;
    let served = runtime.block_on(serve(settings, ledger));
    // Checks that nobody waits for any more are not waited for either.
    runtime.shutdown_background();
    keeper.join();
    served
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

async fn serve(
    settings: Settings,
    ledger: Ledger,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), StartError> {
    let listener = TcpListener::bind(settings.listen).await.map_err(StartError::Listen)?;
    let address = listener.local_addr().map_err(StartError::Listen)?;
    let stop = stopped().map_err(StartError::Runtime)?;
    let public_url = settings.public_url.as_deref();
    let options = http::Options {
        hosts: Hosts::new(address, public_url),
        origins: Origins::new(address, public_url, &settings.cors_origins),
        trust_proxy: settings.trust_proxy,
        cors_origins: settings.cors_origins.clone(),
        metrics: settings.metrics,
    };
    let base_url = public_url.map_or_else(|| format!("http://{address}"), str::to_owned);
    let identity = Identity::new(&base_url, &settings.issuer_name);
    let router = http::router(app(settings, identity, ledger)?, options);
    let loops = Loops::start(cores()).map_err(StartError::Runtime)?;
    ready(address);
    listen::serve(listener, router, &loops, stop).await;
    loops.end();
    tracing::info!("stopped");
    Ok(())
}

async fn serve_stdio(
    settings: Settings,
    ledger: Ledger,
    ready: impl FnOnce(),
) -> Result<(), StartError> {
    let stop = stopped().map_err(StartError::Runtime)?;
    let identity = match &settings.public_url {
        Some(url) => Identity::new(url, &settings.issuer_name),
        None => Identity::private(settings.key.public_key_url.clone(), &settings.issuer_name),
    };
    let app = app(settings, identity, ledger)?;
    ready();
    mcp::stdio::serve(app, stop).await.map_err(StartError::Runtime)?;
    tracing::info!("stopped");
    Ok(())
}

fn app(settings: Settings, identity: Identity, ledger: Ledger) -> Result<Arc<App>, StartError> {
    let payments = settings.payments.map(|settings| Payments::new(settings, ledger.clone()));
    let payments = payments.transpose().map_err(StartError::Facilitator)?.map(Arc::new);
    if let Some(payments) = &payments {
        payments.tend();
    }
    Ok(Arc::new(App {
        identity,
        key: settings.key,
        ledger,
        allowance: settings.free_per_day.map(Allowance::new),
        payments,
        bodies: Bodies::new(settings.max_body, BODY_MEMORY),
        known: KnownRequirements::default(),
        gate: Arc::new(Semaphore::new(MAX_UNDER_WAY)),
        metrics: Metrics::new(),
        checkers: Handle::current(),
    }))
}

/// Done at the first signal to stop. The second ends the process at once.
fn stopped() -> io::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    #[cfg(unix)]
    let mut interrupt = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())?;
    #[cfg(windows)]
    let mut terminate = tokio::signal::windows::ctrl_close()?;
    #[cfg(windows)]
    let mut interrupt = tokio::signal::windows::ctrl_c()?;
    Ok(async move {
        let status = tokio::select! {
            _ = terminate.recv() => 143,
            _ = interrupt.recv() => 130,
        };
        tracing::info!("stopping; requests under way are answered first");
        tokio::spawn(async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            // What is acknowledged is on the disk already.
            #[expect(clippy::exit, reason = "the user asked twice")]
            std::process::exit(status)
        });
    })
}
