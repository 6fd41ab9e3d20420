//! `aov hash`.

use std::io::{self, IsTerminal};

use agent_output_verifier::digest::Digest;
use agent_output_verifier::jcs;
use agent_output_verifier::json::{Buffers, Document};
use agent_output_verifier::request::RequestShape;
use anyhow::Result;
use serde::Serialize;

use super::Status;
use super::args::{Hash, HashFormat};
use super::input::{Blocks, Input, Wanted, claim_stdin, expand, lines, nothing_in, read_file};
use super::output::{Output, Written};
use super::trouble::{Trouble, Troubles, in_file, of_invalid_request, shown};

/// Runs the command.
pub(crate) fn run(args: &Hash) -> Result<Status> {
    let expected = args.check.as_deref().map(parse_expected).transpose()?;
    if let Some(request) = &args.request {
        return hash_request(args, request);
    }
    claim_stdin(args.files.iter().map(std::path::PathBuf::as_path))?;
    let inputs = if !args.files.is_empty() {
        expand(&args.files, if args.lines { Wanted::Lines } else { Wanted::Documents })
    } else if io::stdin().is_terminal() {
        let help = "Name files, or - for standard input.";
        return Err(Trouble::new("there is nothing to hash", help).into());
    } else {
        vec![Input::Stdin]
    };
    if inputs.len() > 1 && (args.canonical || expected.is_some()) {
        let option = if args.canonical { "--canonical" } else { "--check" };
        return Err(Trouble::new(format!("{option} is for one input"), "Name one file.").into());
    }
    let many = args.lines || inputs.len() > 1;
    let mut hashes =
        Hashes { output: Output::open(None)?, args, many, worst: Status::Passed, count: 0 };
    hashes.begin()?;
    for input in inputs {
        let closed =
            if args.lines { hashes.lines(&input)? } else { hashes.whole(&input, expected)? };
        if closed == Written::Closed {
            return Ok(hashes.worst);
        }
    }
    hashes.end()?;
    Ok(hashes.worst)
}

fn parse_expected(hex: &str) -> Result<Digest> {
    let help = "Give the 64 hex digits of a SHA-256.";
    Digest::parse(hex.trim()).ok_or_else(|| Trouble::new("--check is not a hash", help).into())
}

/// One line of the JSON format.
#[derive(Serialize)]
struct Line<'a> {
    input: &'a str,
    sha256: Digest,
}

struct Hashes<'a> {
    output: Output,
    args: &'a Hash,
    many: bool,
    worst: Status,
    count: usize,
}

impl Hashes<'_> {
    fn begin(&mut self) -> Result<Written> {
        if self.args.format == HashFormat::Json && self.many {
            self.output.write(b"[")
        } else {
            Ok(Written::Done)
        }
    }

    fn end(&mut self) -> Result<Written> {
        if self.args.format == HashFormat::Json && self.many {
            return self.output.write(b"\n]\n");
        }
        Ok(Written::Done)
    }

    fn fault(&mut self, trouble: &Trouble) {
        self.worst = Status::Unusable;
        eprintln!("{trouble}");
    }

    fn whole(&mut self, input: &Input, expected: Option<Digest>) -> Result<Written> {
        let name = input.name();
        let bytes = match input.read() {
            Ok(bytes) => bytes,
            Err(trouble) => {
                self.fault(&trouble);
                return Ok(Written::Done);
            }
        };
        let document = match Document::parse(&bytes) {
            Ok(document) => document,
            Err(error) => {
                self.fault(&Trouble::of_read_error(&name, &error));
                return Ok(Written::Done);
            }
        };
        if self.args.canonical {
            return self.output.write(&jcs::to_vec(document.root()));
        }
        let digest = Digest::of(document.root());
        if let Some(expected) = expected
            && expected != digest
        {
            self.worst = self.worst.max(Status::Failed);
            eprintln!("{}: its hash is {digest}, not {expected}", shown(&name));
        }
        self.put(&name, digest)
    }

    fn lines(&mut self, input: &Input) -> Result<Written> {
        let name = input.name();
        let mut blocks = match input.open() {
            Ok(source) => Blocks::new(source),
            Err(trouble) => {
                self.fault(&trouble);
                return Ok(Written::Done);
            }
        };
        let mut buffers = Buffers::default();
        let mut empty = true;
        loop {
            let block = match blocks.next() {
                Ok(Some(block)) => block,
                Ok(None) => {
                    if empty {
                        self.fault(&nothing_in(&name));
                    }
                    return Ok(Written::Done);
                }
                Err(error) => {
                    self.fault(&Trouble::of_io("read", &name, &error));
                    return Ok(Written::Done);
                }
            };
            for (number, line) in lines(&block) {
                empty = false;
                match Document::parse_with(line, buffers) {
                    Ok(document) => {
                        let digest = Digest::of(document.root());
                        buffers = document.into_buffers();
                        if self.put(&format!("{name}:{number}"), digest)? == Written::Closed {
                            return Ok(Written::Closed);
                        }
                    }
                    Err(refused) => {
                        self.fault(&Trouble::of_line(&name, &in_file(refused.error, number - 1)));
                        buffers = refused.buffers;
                    }
                }
            }
        }
    }

    fn put(&mut self, name: &str, digest: Digest) -> Result<Written> {
        self.count += 1;
        let text = match self.args.format {
            // As sha256sum, with hostile names kept on their line.
            HashFormat::Human => {
                format!("{digest}  {}\n", shown(if name == "stdin" { "-" } else { name }))
            }
            HashFormat::Json => {
                let line = serde_json::to_string(&Line { input: name, sha256: digest })?;
                match (self.many, self.count) {
                    (false, _) => format!("{line}\n"),
                    (true, 1) => format!("\n  {line}"),
                    (true, _) => format!(",\n  {line}"),
                }
            }
        };
        self.output.write(text.as_bytes())
    }
}

/// The four hashes, in the order of a receipt.
#[derive(Serialize)]
struct RequestHashes {
    output_hash: Digest,
    schema_hash: Digest,
    rules_hash: Digest,
    request_hash: Digest,
}

fn hash_request(args: &Hash, path: &std::path::Path) -> Result<Status> {
    let name = Input::of_path(path).name();
    let bytes = read_file(path)?;
    let document =
        Document::parse(&bytes).map_err(|error| Trouble::of_read_error(&name, &error))?;
    let request = RequestShape::parse(document.root())
        .map_err(|error| Troubles(of_invalid_request(&error, &[(&name, &document)], None)))?;
    let mut output = Output::open(None)?;
    if args.canonical {
        let mut canonical = Vec::new();
        request.write_canonical(&mut canonical);
        output.write(&canonical)?;
        return Ok(Status::Passed);
    }
    let hashes = RequestHashes {
        output_hash: request.output_hash(),
        schema_hash: request.schema_hash(),
        rules_hash: request.rules_hash(),
        request_hash: request.request_hash(),
    };
    let text = match args.format {
        HashFormat::Json => serde_json::to_string_pretty(&hashes)? + "\n",
        HashFormat::Human => format!(
            "{}  output_hash\n{}  schema_hash\n{}  rules_hash\n{}  request_hash\n",
            hashes.output_hash, hashes.schema_hash, hashes.rules_hash, hashes.request_hash
        ),
    };
    output.write(text.as_bytes())?;
    Ok(Status::Passed)
}
