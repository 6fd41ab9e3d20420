//! `aov serve`: the checks over HTTP, with the hosted service's routes, and as tools over MCP.
//!
//! [`app::App`] is what all interfaces share; [`http`] and [`mcp`] put routes in front of it,
//! [`listen`] connections. It knows nothing of the command line.

mod allowance;
mod app;
mod body;
mod charge;
mod client;
mod documents;
mod hosts;
mod http;
mod ledger;
mod listen;
mod mcp;
mod metrics;
mod origins;
pub(crate) mod payment;
mod reply;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use agent_output_verifier::key::KeyFile;
use axum::http::HeaderValue;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use allowance::Allowance;
use app::{App, Identity};
use body::Bodies;
use hosts::Hosts;
use ledger::Ledger;
pub(crate) use ledger::{OpenError, Place};
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
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(cores)
        // These make the checks.
        .max_blocking_threads(cores)
        .enable_all()
        .build()
        .map_err(StartError::Runtime)?;
    let (ledger, keeper) =
        Ledger::open(&settings.ledger, settings.payments.is_some()).map_err(StartError::Ledger)?;
    let served = runtime.block_on(serve(settings, ledger, ready));
    // Checks that nobody waits for any more are not waited for either.
    runtime.shutdown_background();
    keeper.join();
    served
}

async fn serve(
    settings: Settings,
    ledger: Ledger,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), StartError> {
    let listener = TcpListener::bind(settings.listen).await.map_err(StartError::Listen)?;
    let address = listener.local_addr().map_err(StartError::Listen)?;
    let stop = stopped().map_err(StartError::Runtime)?;
    let base_url = settings.public_url.clone().unwrap_or_else(|| format!("http://{address}"));
    let payments = settings.payments.map(|settings| Payments::new(settings, ledger.clone()));
    let payments = payments.transpose().map_err(StartError::Facilitator)?.map(Arc::new);
    if let Some(payments) = &payments {
        payments.tend();
    }
    let app = Arc::new(App {
        identity: Identity::new(&base_url, &settings.issuer_name),
        key: settings.key,
        ledger,
        allowance: settings.free_per_day.map(Allowance::new),
        payments,
        bodies: Bodies::new(settings.max_body, BODY_MEMORY),
        gate: Arc::new(Semaphore::new(MAX_UNDER_WAY)),
        metrics: Metrics::new(),
    });
    let public_url = settings.public_url.as_deref();
    let options = http::Options {
        hosts: Hosts::new(address, public_url),
        origins: Origins::new(address, public_url, &settings.cors_origins),
        trust_proxy: settings.trust_proxy,
        cors_origins: settings.cors_origins,
        metrics: settings.metrics,
    };
    let router = http::router(app, options);
    ready(address);
    listen::serve(listener, router, stop).await;
    tracing::info!("stopped");
    Ok(())
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
