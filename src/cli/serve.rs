//! `aov serve`: settings out of arguments, the key and the ledger in their places, the log.

use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use agent_output_verifier::check_receipt::host_of;
use agent_output_verifier::key::KeyFile;
use anyhow::Result;
use axum::http::HeaderValue;
use etcetera::BaseStrategy as _;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

use super::Status;
use super::args::KeyArgs;
use super::args::serve::{LogFormat, Serve};
use super::keys::{self, check_issuer_name};
use super::trouble::{Trouble, path_name, shown};
use crate::serve::payment::{self, Network, PayTo, Price, Terms};
use crate::serve::{OpenError, Place, Settings, StartError, run as run_server, run_stdio};

/// The variable that holds what the facilitator is told in `Authorization`.
const FACILITATOR_AUTHORIZATION: &str = "AOV_FACILITATOR_AUTHORIZATION";

/// Runs `aov serve`.
pub(crate) fn run(args: &Serve) -> Result<Status> {
    let settings = settings(args)?;
    start_log(args);
    contain_panics();
    let ledger = match &settings.ledger {
        Place::File(path) => path_name(path),
        Place::Memory => ":memory:".to_owned(),
    };
    if args.stdio {
        let served = run_stdio(settings, || {
            tracing::info!(ledger, "ready for MCP messages on standard input, one a line");
        });
        served.map_err(|error| trouble_of(args, &ledger, error))?;
        return Ok(Status::Passed);
    }
    let unlimited = settings.payments.is_some() && settings.free_per_day.is_none();
    let unreachable = settings.listen.ip().is_unspecified() && settings.public_url.is_none();
    let served = run_server(settings, |address| {
        if unreachable {
            tracing::warn!(
                "receipts will name {address}, which nobody can reach: give --public-url"
            );
        }
        if unlimited {
            tracing::warn!(
                "checks are free without a limit, and only large ones are charged for: give \
                 --free-per-day"
            );
        }
        tracing::info!(%address, ledger, "ready");
        // Whoever closed standard output does not want to know.
        let mut out = io::stdout().lock();
        let _ = writeln!(out, "listening on http://{address}").and_then(|()| out.flush());
    });
    served.map_err(|error| trouble_of(args, &ledger, error))?;
    Ok(Status::Passed)
}

fn settings(args: &Serve) -> Result<Settings> {
    let listen = listen_address(&args.listen)?;
    if let Some(url) = &args.public_url
        && (host_of(url).is_none() || url.contains(['?', '#']))
    {
        let help = "Give the server's base URL, such as https://verify.example.";
        return Err(Trouble::new("--public-url is no http or https URL", help).into());
    }
    check_issuer_name(Some(&args.issuer_name))?;
    let cors_origins: Result<Vec<HeaderValue>> =
        args.cors_origin.iter().map(|origin| cors_origin(origin)).collect();
    let cors_origins = cors_origins?;
    let payments = payments(args)?;
    let ledger = match &args.ledger {
        Some(path) if path.as_os_str() == ":memory:" => Place::Memory,
        Some(path) => Place::File(path.clone()),
        None => Place::File(data_folder("--ledger")?.join("ledger.sqlite3")),
    };
    if let Place::File(path) = &ledger {
        make_private(path)?;
    }
    Ok(Settings {
        listen,
        public_url: args.public_url.clone(),
        key: key(args)?,
        issuer_name: args.issuer_name.clone(),
        ledger,
        free_per_day: args.free_per_day,
        payments,
        max_body: usize::try_from(args.max_body).unwrap_or(usize::MAX),
        trust_proxy: args.trust_proxy,
        cors_origins,
        metrics: args.metrics,
    })
}

/// How payments are set up, where they are on.
fn payments(args: &Serve) -> Result<Option<payment::Settings>> {
    let Some(facilitator) = &args.facilitator else { return Ok(None) };
    let facilitator = facilitator.parse().map_err(|error| {
        let help = "Give the facilitator's base URL, such as https://x402.example.";
        Trouble::new(format!("--facilitator {error}"), help)
    })?;
    let mut pay_to: Vec<PayTo> = Vec::new();
    for text in &args.pay_to {
        let to: PayTo = text.parse().map_err(|error| {
            let networks =
                Network::ALL.map(|network| format!("{} ({})", network.id(), network.name()));
            let help = format!("Give NETWORK=ADDRESS; networks are {}.", networks.join(", "));
            Trouble::new(format!("--pay-to {} {error}", shown(text)), help)
        })?;
        if pay_to.iter().any(|other| other.network == to.network) {
            let message = format!("--pay-to names {} twice", to.network.id());
            return Err(Trouble::new(message, "Give one address for each network.").into());
        }
        pay_to.push(to);
    }
    let price = |option: &str, text: &str| -> Result<Price> {
        Ok(text.parse().map_err(|error| {
            let help = "Give dollars, with up to six decimal places.";
            Trouble::new(format!("{option} {} {error}", shown(text)), help)
        })?)
    };
    let terms = Terms {
        pay_to,
        check: price("--price", &args.price)?,
        score: price("--score-price", &args.score_price)?,
        free_max_body: usize::try_from(args.free_max_body).unwrap_or(usize::MAX),
    };
    let authorization = match std::env::var_os(FACILITATOR_AUTHORIZATION) {
        None => None,
        // It is a secret: nothing of it is repeated.
        Some(value) => Some(HeaderValue::from_bytes(value.as_encoded_bytes()).map_err(|_| {
            let message = format!("{FACILITATOR_AUTHORIZATION} is no value for a header");
            Trouble::new(message, "Give it as it is sent, such as `Bearer …`, on one line.")
        })?),
    };
    Ok(Some(payment::Settings { terms, facilitator, authorization }))
}

fn listen_address(text: &str) -> Result<SocketAddr> {
    // The one name that is an address of this machine by definition (RFC 6761 §6.3).
    let text = match text.strip_prefix("localhost:") {
        Some(port) => format!("127.0.0.1:{port}"),
        None => text.to_owned(),
    };
    text.parse().map_err(|_| {
        let help = "Give an IP address and a port, such as 127.0.0.1:8402 or [::1]:8402.";
        Trouble::new("--listen is no address", help).into()
    })
}

/// An origin as browsers send it: scheme, host, and a port that is not the scheme's.
fn cors_origin(origin: &str) -> Result<HeaderValue> {
    let bare = |host: String| {
        origin == "*" || origin == format!("http://{host}") || origin == format!("https://{host}")
    };
    let usable = origin == "*" || host_of(origin).is_some_and(bare);
    HeaderValue::from_str(origin).ok().filter(|_| usable).ok_or_else(|| {
        let help = "Give scheme and host without a path, such as https://app.example, or *.";
        Trouble::new("--cors-origin is no origin", help).into()
    })
}

/// The key that the arguments name, or the user's own, which is made where there is none.
fn key(args: &Serve) -> Result<KeyFile> {
    let read = |key: String| {
        keys::read(&KeyArgs {
            key,
            key_version: args.key_version.clone(),
            insecure_key_permissions: args.insecure_key_permissions,
        })
    };
    if let Some(key) = &args.key {
        return read(key.clone());
    }
    let path = data_folder("--key")?.join("signing-key.json");
    if !path.exists() {
        make_folder(&path)?;
        if keys::make_at(&path)? {
            eprintln!("made a signing key: {}; keep it secret", shown(&path_name(&path)));
        }
    }
    read(path_name(&path))
}

/// The folder for what this user's server keeps.
fn data_folder(option: &str) -> Result<PathBuf> {
    let strategy = etcetera::choose_base_strategy().map_err(|_| {
        let help = format!("Set HOME, or give {option}.");
        Trouble::new("there is no home folder to keep the server's data in", help)
    })?;
    Ok(strategy.data_dir().join("aov"))
}

fn make_folder(file: &Path) -> Result<()> {
    let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) else {
        return Ok(());
    };
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let made = builder.create(folder);
    Ok(made.map_err(|error| Trouble::of_io("make", &path_name(folder), &error))?)
}

/// Makes a ledger that is not there yet, so that only its owner can read it. What SQLite puts beside
/// it gets the same permissions.
fn make_private(path: &Path) -> Result<()> {
    make_folder(path)?;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(Trouble::of_io("make", &path_name(path), &error).into()),
    }
}

fn start_log(args: &Serve) {
    let level = match args.verbose {
        0 => LevelFilter::INFO,
        1 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    // What the SDK of MCP logs holds what clients send.
    let filter = Targets::new().with_default(level).with_target("rmcp", LevelFilter::OFF);
    let log = tracing_subscriber::fmt::layer()
        .with_writer(io::stderr)
        .with_ansi(false)
        .with_target(false)
        // A log that cannot be written must not end the server.
        .log_internal_errors(false);
    let log = match args.log_format {
        LogFormat::Text => log.boxed(),
        LogFormat::Json => log.json().boxed(),
    };
    tracing_subscriber::registry().with(log.with_filter(filter)).init();
}

/// Panics are logged by their place only: what is thrown may hold something of a request.
fn contain_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "panicked; this is a fault of aov");
    }));
}

fn trouble_of(args: &Serve, ledger: &str, error: StartError) -> Trouble {
    let ledger = shown(ledger);
    match error {
        StartError::Ledger(OpenError::NotALedger) => Trouble::new(
            format!("{ledger}: this is no ledger, and was left as it is"),
            "Name another file with --ledger.",
        ),
        StartError::Ledger(OpenError::Newer { found }) => Trouble::new(
            format!(
                "{ledger}: a later version of aov made this ledger (format {found}); it was left \
                 as it is"
            ),
            "Use that version, or another file with --ledger.",
        ),
        StartError::Ledger(OpenError::Link) => Trouble::new(
            format!("{ledger}: the ledger is a link, which could lead anywhere"),
            "Name the file that it leads to.",
        ),
        StartError::Ledger(OpenError::Sqlite(error)) => Trouble::new(
            format!("{ledger}: the ledger cannot be used: {error}"),
            "Check the file, who may write it and its folder, and the disk.",
        ),
        StartError::Ledger(OpenError::Thread(error)) | StartError::Runtime(error) => {
            Trouble::new(format!("the server cannot start: {error}"), "Check the system's limits.")
        }
        StartError::Ledger(OpenError::InUse) => Trouble::new(
            format!("{ledger}: another server takes payments with this ledger"),
            "Give each server that takes payments a ledger of its own with --ledger.",
        ),
        StartError::Ledger(OpenError::Lock(error)) => Trouble::new(
            format!("{ledger}: the ledger cannot be locked, which payments need: {error}"),
            "Check who may write its folder.",
        ),
        StartError::Facilitator(error) => Trouble::new(
            format!("the facilitator cannot be asked: {error}"),
            "Check the system's certificates.",
        ),
        StartError::Listen(error) => {
            let reason = match error.kind() {
                io::ErrorKind::AddrInUse => "it is in use".to_owned(),
                io::ErrorKind::AddrNotAvailable => "it is no address of this machine".to_owned(),
                io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
                _ => error.to_string(),
            };
            Trouble::new(
                format!("cannot listen on {}: {reason}", shown(&args.listen)),
                "Give another address with --listen; port 0 picks a free one.",
            )
        }
    }
}
