//! A folder or NDJSON file of requests, in which each receipt finds its own.
//!
//! Only an index is held: the hashes and task id of each request, and where it stands.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use agent_output_verifier::digest::Digest;
use agent_output_verifier::json::{Document, Value};
use agent_output_verifier::request::RawRequest;
use anyhow::Result;

use super::super::input::{Blocks, Input, Wanted, expand, lines};
use super::super::trouble::{Trouble, in_file, path_name};

/// What tells a request: three hashes and the task id, hashed to one.
type Key = [u8; 32];

/// Where a request stands.
struct Place {
    file: usize,
    offset: u64,
    length: usize,
}

/// The index.
pub(super) struct Requests {
    files: Vec<PathBuf>,
    places: HashMap<Key, Place>,
    name: String,
}

fn key(hashes: [&str; 3], task_id: &str) -> Key {
    let text = format!("{} {} {} {task_id}", hashes[0], hashes[1], hashes[2]);
    *Digest::of_bytes(text.as_bytes()).as_bytes()
}

fn key_of_request(request: Value<'_>) -> Option<Key> {
    let raw = RawRequest::new(request);
    let task_id = raw.field("task_id")?.as_str()?;
    let hashes = [raw.output_hash()?, raw.schema_hash()?, raw.rules_hash()];
    let hashes = hashes.map(|hash| hash.to_string());
    Some(key([&hashes[0], &hashes[1], &hashes[2]], task_id))
}

impl Requests {
    /// Reads all requests once.
    pub(super) fn open(path: &Path) -> Result<Requests> {
        let name = path_name(path);
        let mut requests = Requests { files: Vec::new(), places: HashMap::new(), name };
        let folder = path.is_dir();
        let inputs = if folder {
            expand(&[path.to_owned()], Wanted::Documents)
        } else {
            vec![Input::File(path.to_owned())]
        };
        for input in inputs {
            let file = requests.files.len();
            match &input {
                Input::File(path) => requests.files.push(path.clone()),
                _ => {
                    input.read()?;
                    continue;
                }
            }
            if folder {
                let bytes = input.read()?;
                requests.add(
                    &input.name(),
                    &bytes,
                    Place { file, offset: 0, length: bytes.len() },
                    0,
                )?;
                continue;
            }
            let mut blocks = Blocks::new(input.open()?);
            let mut offset = 0;
            let name = input.name();
            while let Some(block) =
                blocks.next().map_err(|error| Trouble::of_io("read", &name, &error))?
            {
                for (number, line) in lines(&block) {
                    let within = line.as_ptr().addr() - block.bytes.as_ptr().addr();
                    let place = Place { file, offset: offset + within as u64, length: line.len() };
                    requests.add(&name, line, place, number - 1)?;
                }
                offset += block.bytes.len() as u64;
            }
        }
        Ok(requests)
    }

    fn add(&mut self, name: &str, bytes: &[u8], place: Place, lines: usize) -> Result<()> {
        let document = Document::parse(bytes)
            .map_err(|error| Trouble::of_read_error(name, &in_file(error, lines)))?;
        if let Some(key) = key_of_request(document.root()) {
            self.places.entry(key).or_insert(place);
        }
        Ok(())
    }

    /// The text of the request that a receipt is about, or why there is none.
    pub(super) fn find(&self, receipt: Value<'_>) -> Result<Vec<u8>, String> {
        let text = |name: &str| receipt.get(name).and_then(Value::as_str).unwrap_or_default();
        let hashes = [text("output_hash"), text("schema_hash"), text("rules_hash")];
        let not_found = || format!("no request in {} has its hashes and task id", self.name);
        let place = self.places.get(&key(hashes, text("task_id"))).ok_or_else(not_found)?;
        let read = || -> std::io::Result<Vec<u8>> {
            let mut file = File::open(&self.files[place.file])?;
            file.seek(SeekFrom::Start(place.offset))?;
            let mut bytes = vec![0; place.length];
            file.read_exact(&mut bytes)?;
            Ok(bytes)
        };
        read().map_err(|error| {
            Trouble::of_io("read", &path_name(&self.files[place.file]), &error).message
        })
    }
}
