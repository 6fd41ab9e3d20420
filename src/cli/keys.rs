//! Key files on disk, on standard input and in variables: `aov keygen`, `aov agent-card`, and
//! whoever signs. Nothing of a key's content reaches a message.

use std::fs::File;
use std::io::{self, Read, Write as _};
use std::path::Path;

use agent_output_verifier::agent_card::{self, Card};
use agent_output_verifier::check_receipt::host_of;
use agent_output_verifier::datetime::format_utc_micros;
use agent_output_verifier::key::{KeyFile, KeyFileError, next_version};
use agent_output_verifier::receipt::Kind;
use anyhow::Result;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
#[cfg(any(target_os = "linux", target_os = "android"))]
use rustix::process::DumpableBehavior;
use zeroize::Zeroizing;

use super::Status;
use super::args::{AgentCardArgs, KeyArgs, Keygen};
use super::output::{Output, Written};
use super::trouble::{Trouble, path_name, shown};
use crate::clock::now;

/// Bytes that a key file may have: many times what one with a hundred earlier keys has.
pub(crate) const MAX_KEY_FILE: u64 = 64 * 1024;

/// Reads the key file that the arguments name: a path, `-` for standard input, `env:NAME` for a
/// variable.
pub(crate) fn read(args: &KeyArgs) -> Result<KeyFile> {
    keep_to_this_process();
    refuse_secret_as_name(&args.key)?;
    let mut text = empty();
    let name = match (args.key.as_str(), args.key.strip_prefix("env:")) {
        ("-", _) => {
            let stdin = unbuffered_stdin();
            let stdin = stdin.map_err(|error| Trouble::of_io("read", "stdin", &error))?;
            read_into("stdin", stdin, &mut text)?;
            "stdin"
        }
        (name, Some(variable)) => {
            let value = std::env::var(variable).map(Zeroizing::new).map_err(|_| {
                let help = "Set it to the key file's content.";
                Trouble::new(format!("the variable {} is not set", shown(variable)), help)
            })?;
            text.extend_from_slice(value.as_bytes());
            name
        }
        (name, None) => {
            let file = open(Path::new(name))?;
            if !args.insecure_key_permissions {
                let or = "; or give --insecure-key-permissions if that is meant";
                check_permissions(name, &file, or)?;
            }
            read_into(name, file, &mut text)?;
            name
        }
    };
    let file = KeyFile::parse(&text, args.key_version.as_deref());
    Ok(file.map_err(|error| trouble_of(name, &error))?)
}

/// Room for a key file's text. It never has to grow, as what it grew out of would stay in memory.
fn empty() -> Zeroizing<Vec<u8>> {
    let room = usize::try_from(MAX_KEY_FILE).unwrap_or(usize::MAX);
    // One byte more tells what is too large, another that it ends there.
    Zeroizing::new(Vec::with_capacity(room.saturating_add(2)))
}

/// Standard input without the buffer that the process has for it, in which a key would stay.
#[cfg(unix)]
fn unbuffered_stdin() -> io::Result<impl Read> {
    use std::os::fd::AsFd as _;
    io::stdin().as_fd().try_clone_to_owned().map(File::from)
}

/// Elsewhere a console is no file; its buffer goes with the process.
#[cfg(not(unix))]
fn unbuffered_stdin() -> io::Result<impl Read> {
    Ok(io::stdin().lock())
}

/// Keeps the memory of this process out of core dumps, and away from debuggers of the same user.
fn keep_to_this_process() {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let kept = rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable);
    #[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
    let kept = rustix::process::setrlimit(
        rustix::process::Resource::Core,
        rustix::process::Rlimit { current: Some(0), maximum: Some(0) },
    );
    // A system that does not offer it is no reason not to sign.
    #[cfg(unix)]
    if let Err(error) = kept {
        eprintln!("warning: a core dump of this process would hold the key: {error}");
    }
}

/// Refuses a key where its name belongs, before a message repeats it.
fn refuse_secret_as_name(given: &str) -> Result<(), Trouble> {
    let name = given.strip_prefix("env:").unwrap_or(given);
    let alphabets = [STANDARD, URL_SAFE, STANDARD_NO_PAD, URL_SAFE_NO_PAD];
    let is_seed = |bytes: Vec<u8>| bytes.len() == 32;
    let secret = name.contains(['\n', '{'])
        || name.contains("-----BEGIN")
        || alphabets.iter().any(|alphabet| alphabet.decode(name).is_ok_and(is_seed))
        || (name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let is_name = Path::new(given).exists() || std::env::var_os(name).is_some();
    if !secret || is_name {
        return Ok(());
    }
    let message = "--key is given a key, not where one is; it is not repeated here";
    let help = "Name a file, or a variable that holds the key as env:NAME. Other users could have \
                read it in the list of processes: make a new one if that counts.";
    Err(Trouble::new(message, help))
}

fn trouble_of(name: &str, error: &KeyFileError) -> Trouble {
    Trouble::new(format!("{}: {error}", shown(name)), error.fix())
}

/// Opens a key file. What is judged is the file that was opened, wherever a link led.
fn open(path: &Path) -> Result<File, Trouble> {
    File::open(path).map_err(|error| Trouble::of_io("read", &path_name(path), &error))
}

fn read_into(name: &str, file: impl Read, text: &mut Vec<u8>) -> Result<(), Trouble> {
    let read = file.take(MAX_KEY_FILE + 1).read_to_end(text);
    read.map_err(|error| Trouble::of_io("read", name, &error))?;
    if text.len() as u64 > MAX_KEY_FILE {
        return Err(trouble_of(name, &KeyFileError::NotAKeyFile));
    }
    Ok(())
}

/// Refuses what is no place for an agent-card.
pub(crate) fn check_key_url(url: &str) -> Result<()> {
    if host_of(url).is_none() {
        let help = "Give where the agent-card is published, such as https://HOST/agent-card.json.";
        return Err(Trouble::new("--public-key-url is no http or https URL", help).into());
    }
    Ok(())
}

/// Refuses a name that says nothing.
pub(crate) fn check_issuer_name(name: Option<&str>) -> Result<()> {
    if name.is_some_and(|name| name.trim().is_empty()) {
        return Err(Trouble::new("--issuer-name is empty", "Give a name, or leave it out.").into());
    }
    Ok(())
}

/// Refuses a file that others than its owner can read.
#[cfg(unix)]
fn check_permissions(name: &str, file: &File, or: &str) -> Result<(), Trouble> {
    use std::os::unix::fs::PermissionsExt as _;
    let metadata = file.metadata().map_err(|error| Trouble::of_io("read", name, &error))?;
    let mode = metadata.permissions().mode() & 0o777;
    if metadata.is_file() && mode & 0o077 != 0 {
        let help = format!("Run: chmod 600 {}{or}.", shown(name));
        let message = format!("{}: others can read this key file (mode {mode:o})", shown(name));
        return Err(Trouble::new(message, help));
    }
    Ok(())
}

/// Elsewhere files have no such bits; a user's folder is private by its access control list.
#[cfg(not(unix))]
fn check_permissions(_name: &str, _file: &File, _or: &str) -> Result<(), Trouble> {
    Ok(())
}

fn fresh_seed() -> Result<Zeroizing<[u8; 32]>> {
    let mut seed = Zeroizing::new([0; 32]);
    getrandom::fill(&mut *seed).map_err(|error| {
        let help = "Check the system's source of random numbers.";
        Trouble::new(format!("no random numbers for a key: {error}"), help)
    })?;
    Ok(seed)
}

/// `YYYY-MM-DD` in UTC.
fn today() -> String {
    format_utc_micros(now()).chars().take(10).collect()
}

/// Runs `aov keygen`.
pub(crate) fn keygen(args: &Keygen) -> Result<Status> {
    if args.file.as_os_str() == "-" {
        let help = "Name a file; a secret is not for standard output.";
        return Err(Trouble::new("-o - is no place for a key", help).into());
    }
    if let Some(url) = &args.public_key_url {
        check_key_url(url)?;
    }
    check_issuer_name(args.issuer_name.as_deref())?;
    keep_to_this_process();
    let today = today();
    let file = match &args.rotate {
        Some(path) => {
            let former = read_to_renew(path)?;
            let versions = former.public_keys();
            let versions: Vec<&str> = versions.iter().map(|key| key.key_version.as_str()).collect();
            let version =
                args.key_version.clone().unwrap_or_else(|| next_version(&today, &versions));
            let rotated = former.rotated(fresh_seed()?, version);
            let file = rotated.map_err(|error| trouble_of(&path_name(path), &error))?;
            with_details(file, args)
        }
        None => {
            let version = args.key_version.clone().unwrap_or_else(|| next_version(&today, &[]));
            let file = KeyFile::new(fresh_seed()?, version);
            with_details(file.map_err(|error| trouble_of("--key-version", &error))?, args)
        }
    };
    let target = args.rotate.as_ref().unwrap_or(&args.file);
    write(target, &file, args.rotate.is_some())?;
    eprintln!("wrote {}; keep it secret", shown(&path_name(target)));
    print(&agent_card::entry_for(&file))
}

/// Makes a key file with a fresh key; false where another process was faster.
#[cfg(feature = "serve")]
pub(crate) fn make_at(path: &Path) -> Result<bool> {
    keep_to_this_process();
    let file = KeyFile::new(fresh_seed()?, next_version(&today(), &[]));
    let made = write(path, &file.map_err(|error| trouble_of(&path_name(path), &error))?, false);
    match made {
        Err(_) if path.exists() => Ok(false),
        made => made.map(|()| true),
    }
}

/// Reads the key file that is to be renewed.
fn read_to_renew(path: &Path) -> Result<KeyFile, Trouble> {
    let name = path_name(path);
    let file = open(path)?;
    check_permissions(&name, &file, "")?;
    let mut text = empty();
    read_into(&name, file, &mut text)?;
    KeyFile::parse(&text, None).map_err(|error| match error {
        KeyFileError::PemVersion => {
            let help =
                "Make a key file with `aov keygen`; a PEM key is renewed where it came from.";
            Trouble::new(format!("{}: a PEM key is not renewed here", shown(&name)), help)
        }
        error => trouble_of(&name, &error),
    })
}

fn with_details(mut file: KeyFile, args: &Keygen) -> KeyFile {
    file.issuer_name = args.issuer_name.clone().or(file.issuer_name.take());
    file.public_key_url = args.public_key_url.clone().or(file.public_key_url.take());
    file
}

/// Writes a key file whole or not at all, readable by its owner only.
fn write(path: &Path, file: &KeyFile, replace: bool) -> Result<()> {
    let name = path_name(path);
    let trouble = |error: &io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            let help = "Name another file, or renew this one with --rotate.";
            Trouble::new(format!("{} exists and is not overwritten", shown(&name)), help)
        }
        _ => Trouble::of_io("write", &name, error),
    };
    // The file that a link leads to is renewed, not the link.
    let target = if replace {
        path.canonicalize().map_err(|error| trouble(&error))?
    } else {
        path.to_owned()
    };
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    // Temporary files are made exclusively, with mode 0600.
    let mut temporary = tempfile::NamedTempFile::new_in(folder).map_err(|error| trouble(&error))?;
    temporary.write_all(file.to_json().as_bytes()).map_err(|error| trouble(&error))?;
    temporary.as_file().sync_all().map_err(|error| trouble(&error))?;
    let persisted =
        if replace { temporary.persist(target) } else { temporary.persist_noclobber(target) };
    persisted.map_err(|error| trouble(&error.error))?;
    Ok(())
}

/// Runs `aov agent-card`.
pub(crate) fn agent_card(args: &AgentCardArgs) -> Result<Status> {
    let file = read(&args.key)?;
    print(&Card::new(&file, &[Kind::Verification]).to_json())
}

fn print(text: &str) -> Result<Status> {
    let mut output = Output::open(None)?;
    match output.write(text.as_bytes())? {
        Written::Done | Written::Closed => Ok(Status::Passed),
    }
}
