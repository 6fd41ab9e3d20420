//! The pages for users hold: every command that they show is run as it is written and must print
//! what they show; every file in `examples/` is in use, but for `examples/ci/`, which
//! `tests/ci_examples.rs` looks after.
//!
//! What a page may show in a `console` block: a line `$ aov …` and below it all that the command
//! prints, as a terminal shows it; at its end ` > FILE` may send the output to a file. A line
//! `$ echo $?` has the last status below it. A block whose language is followed by a name, as in
//! `json request.json`, is a file: it is there when the commands run, and they must leave it as it
//! is shown, so that a page can show what a command writes.
//!
//! The commands of a page run in order, in a folder with nothing but `examples/`, an empty
//! `target/` and the page's files, so that what they write stays out of the repository. Of what
//! differs in every run (ids, times, ages, fresh keys, their default versions, and signatures under
//! them), only the form is compared.
//!
//! With `AOV_UPDATE_PAGES=1` the first test writes what is printed now into the pages, to be read
//! before it is committed. Statuses it leaves alone: a changed one is never a matter of wording.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use regex::Regex;

mod common;

use common::Sandbox;

/// The pages, with the number of commands below which something must have gone missing.
const PAGES: [(&str, usize); 4] = [
    ("README.md", 10),
    ("examples/README.md", 16),
    ("docs/receipts.md", 6),
    ("docs/reports.md", 1),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn page(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A fenced block of a page.
#[derive(PartialEq, Debug)]
struct Block<'p> {
    language: &'p str,
    /// Its first line's number in the page.
    first_line: usize,
    lines: Vec<&'p str>,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<Block<'_>> = None;
    for (place, line) in page.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(language), None) => {
                open = Some(Block { language, first_line: place + 2, lines: Vec::new() });
            }
            (Some(end), Some(_)) => {
                assert_eq!(end, "", "line {}: a block in a block", place + 1);
                blocks.extend(open.take());
            }
            (None, Some(block)) => block.lines.push(line),
            (None, None) => {}
        }
    }
    assert_eq!(open, None, "a block is never closed");
    blocks
}

/// A command of a page, and what the page says of it.
#[derive(PartialEq, Debug)]
struct Shown<'p> {
    line: usize,
    command: &'p str,
    output: String,
    status: Option<i32>,
}

impl Shown<'_> {
    /// The arguments after `aov`, and the file that the output goes to. The pages use no quoting,
    /// no pipes and no other redirection.
    fn arguments(&self) -> (Vec<&str>, Option<&str>) {
        let (command, target) = match self.command.split_once(" > ") {
            Some((command, target)) => (command, Some(target)),
            None => (self.command, None),
        };
        for part in [command, target.unwrap_or_default()] {
            let special = part.find(['\'', '"', '|', '<', '>', '*', '$', '&', ';', '\\']);
            assert_eq!(special, None, "line {}: this takes a shell", self.line);
        }
        (command.split_ascii_whitespace().skip(1).collect(), target)
    }
}

fn shown(page: &str) -> Vec<Shown<'_>> {
    let mut all: Vec<Shown<'_>> = Vec::new();
    for block in blocks(page).into_iter().filter(|block| block.language == "console") {
        let before = all.len();
        let mut lines = (block.first_line..).zip(block.lines).peekable();
        while let Some((line, text)) = lines.next() {
            let command = text.strip_prefix("$ ");
            let command = command.unwrap_or_else(|| panic!("line {line}: not below a command"));
            let mut output = Vec::new();
            while let Some((_, text)) = lines.next_if(|(_, text)| !text.starts_with("$ ")) {
                output.push(text);
            }
            let output = output.join("\n");
            if command == "echo $?" {
                assert!(all.len() > before, "line {line}: the status of no command");
                let status = output.parse();
                let status = status.unwrap_or_else(|_| panic!("line {line}: no status below it"));
                all.last_mut().unwrap().status = Some(status);
            } else {
                assert!(command.starts_with("aov "), "line {line}: not a command of aov");
                all.push(Shown { line, command, output, status: None });
            }
        }
        assert!(all.len() > before, "line {}: a block without a command", block.first_line);
    }
    all
}

/// A text with the values that differ in every run replaced, where their form is right.
fn normalised(text: &str) -> String {
    let id = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";
    let at = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00";
    let mut text = text.to_owned();
    for (pattern, replacement) in [
        (format!(r#"("verification_id": ?)"{id}""#), r#"$1"an id""#),
        (format!(r#"("(verified_at|timestamp)": ?)"{at}""#), r#"$1"a time""#),
        // What the sheet of a receipt says of both.
        (format!("(?m)^(    check id +){id}$"), "${1}an id"),
        (format!("(?m)^(    signed at +){at}$"), "${1}a time"),
        (r"signed \d+ (second|minute|hour|day)s? ago".to_owned(), "signed some time ago"),
        // A fresh key: its default version, its public half, what it signs.
        (r"\bv1-\d{4}-\d\d-\d\d[b-z]?\b".to_owned(), "a key version"),
        (r#"("publicKey": ?)"[A-Za-z0-9+/]{43}=""#.to_owned(), r#"$1"a key""#),
        (r#"("signature": ?)"[A-Za-z0-9+/]{86}==""#.to_owned(), r#"$1"a signature""#),
    ] {
        let pattern = Regex::new(&pattern).unwrap();
        text = pattern.replace_all(&text, replacement).into_owned();
    }
    text
}

/// A folder as the commands of a page find it.
fn folder_of(page: &str) -> Sandbox {
    let mut folder = Sandbox::new().with_folder("target");
    for file in files_below(&root().join("examples")) {
        let name = file.strip_prefix(root()).unwrap().to_str().unwrap();
        folder = folder.with(name, fs::read(&file).unwrap());
    }
    for (name, text) in page_files(page) {
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        // A key file that others can read is refused.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(folder.path(name)).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }
    folder
}

/// The blocks of a page that are files.
fn page_files(page: &str) -> Vec<(&str, String)> {
    let named = blocks(page).into_iter().filter_map(|block| {
        let (_, name) = block.language.split_once(' ')?;
        Some((name, block.lines.join("\n") + "\n"))
    });
    named.collect()
}

#[test]
fn every_command_prints_what_its_page_shows() {
    let update = std::env::var_os("AOV_UPDATE_PAGES").is_some_and(|value| value == "1");
    for (name, least) in PAGES {
        let page = page(name);
        let mut updated = page.clone();
        let commands = shown(&page);
        let count = commands.len();
        assert!(count >= least, "{name}: {count} commands, expected {least} at least");
        let folder = folder_of(&page);
        for shown in commands {
            let (arguments, target) = shown.arguments();
            let (status, printed) = match target {
                None => folder.aov(&arguments).run_as_in_a_terminal(),
                Some(target) => {
                    let run = folder.aov(&arguments).run();
                    fs::write(folder.path(target), run.stdout).unwrap();
                    (run.status, run.stderr)
                }
            };
            // The page cannot show whether the last line has an end.
            let printed = printed.strip_suffix('\n').unwrap_or(&printed);
            let place = format!("{name}:{}: {}", shown.line, shown.command);
            if update && normalised(printed) != normalised(&shown.output) {
                let now = in_page(shown.command, printed);
                updated = updated.replacen(&in_page(shown.command, &shown.output), &now, 1);
            } else {
                assert_eq!(normalised(printed), normalised(&shown.output), "{place}");
            }
            // Without a word on it, a reader takes a command to succeed.
            assert_eq!(status, shown.status.unwrap_or(0), "{place}");
        }
        for (file, text) in page_files(&page) {
            let left = folder.read(file);
            if update {
                updated = updated.replacen(text.trim_end(), left.trim_end(), 1);
            } else {
                assert_eq!(left.trim_end(), text.trim_end(), "{name}: {file}");
            }
        }
        if updated != page {
            fs::write(root().join(name), updated).unwrap();
        }
    }
}

/// A command and its output as a page has them.
fn in_page(command: &str, output: &str) -> String {
    if output.is_empty() { format!("$ {command}\n") } else { format!("$ {command}\n{output}\n") }
}

#[test]
fn every_file_is_used_and_explained() {
    let pages = PAGES.map(|(name, _)| page(name));
    let used: Vec<&str> = pages
        .iter()
        .flat_map(|page| shown(page))
        .flat_map(|shown| shown.command.split_ascii_whitespace())
        .collect();
    let files = files_below(&root().join("examples"));
    assert!(files.len() >= 10, "files are missing: {files:?}");
    let readme = page("examples/README.md");
    for file in files {
        let name = file.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/");
        // Those for CI have a page and a test of their own, `tests/ci_examples.rs`.
        if name == "examples/README.md" || name.starts_with("examples/ci/") {
            continue;
        }
        assert!(used.contains(&name.as_str()), "no command uses {name}");
        let row = format!("| `{}` |", name.strip_prefix("examples/").unwrap());
        assert!(readme.contains(&row), "examples/README.md has no line for {name}");
    }
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            files.push(path);
        }
    }
    files
}

#[test]
fn the_commands_of_cargo_name_the_tour() {
    let page = page("README.md");
    let cargo: Vec<&str> = blocks(&page)
        .into_iter()
        .filter(|block| block.language == "sh")
        .flat_map(|block| block.lines)
        .filter(|line| line.starts_with("cargo "))
        .collect();
    let run = "cargo run --locked -- ";
    let first = shown(&page).remove(0);
    let first = first.command.strip_prefix("aov ").unwrap();
    assert_eq!(
        cargo,
        [
            format!("{run}{first}").as_str(),
            "cargo test --locked",
            "cargo install --locked --path .",
        ]
    );
}

/// Runs the front page's script around a command, in a shell that finds this `aov` first.
#[cfg(unix)]
fn run_script(command: &str, arguments: &[&str]) -> (Option<i32>, String) {
    use std::process::Command;

    let page = page("README.md");
    let is_script = |block: &Block<'_>| {
        let calls = block.lines.iter().any(|line| line.contains(command) && line.contains("$1"));
        block.language == "sh" && calls
    };
    let scripts: Vec<_> = blocks(&page).into_iter().filter(is_script).collect();
    let [script] = &scripts[..] else {
        panic!("the page has {} scripts around {command}", scripts.len());
    };
    let folder = Path::new(env!("CARGO_BIN_EXE_aov")).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    let run = Command::new("sh")
        .args(["-c", &script.lines.join("\n"), "script"])
        .args(arguments)
        .env("PATH", format!("{}:{path}", folder.display()))
        .current_dir(root())
        .output()
        .unwrap();
    (run.status.code(), String::from_utf8(run.stdout).unwrap())
}

#[cfg(unix)]
#[test]
fn the_script_accepts_and_rejects() {
    for (output, said) in [
        ("examples/invoice/final.json", "accept\n"),
        ("examples/invoice/draft.json", "reject\n"),
        ("examples/invoice/none.json", "not judged\n"),
    ] {
        assert_eq!(run_script("aov verify", &[output]).1, said, "{output}");
    }
}

#[cfg(unix)]
#[test]
fn the_script_pays_on_a_valid_receipt_of_the_issuer_alone() {
    let genuine = "examples/receipt/invoice-7731-final.receipt.json";
    let request = "examples/receipt/invoice-7731-final.request.json";
    let text = fs::read_to_string(root().join(genuine)).unwrap();
    let folder = Sandbox::new()
        .with("altered.json", text.replace("\"pass\"", "\"fail\""))
        .with("of-another.json", text.replace("verify.sarnai.dev", "forger.example"))
        .with("newer-key.json", text.replace("v1-2026-09c", "v1-2027-01"))
        .with("cut.json", &text[..500]);
    let path = |name: &str| folder.path(name).to_str().unwrap().to_owned();
    let falsehood = "the receipt is false: do not pay\n";
    let unproved = "nothing is proved: do not pay\n";
    for (receipt, request, said) in [
        (genuine.to_owned(), request, "pay\n"),
        (
            genuine.replace("final", "draft"),
            "examples/receipt/invoice-7731-draft.request.json",
            "the checks failed: do not pay\n",
        ),
        (genuine.to_owned(), "examples/receipt/invoice-7731-draft.request.json", falsehood),
        (path("altered.json"), request, falsehood),
        (path("of-another.json"), request, falsehood),
        (path("newer-key.json"), request, unproved),
        (path("cut.json"), request, unproved),
        (path("none.json"), request, unproved),
    ] {
        let (status, printed) = run_script("aov check-receipt", &[&receipt, request]);
        assert_eq!(printed, said, "{receipt}");
        assert_eq!(status, Some(i32::from(said != "pay\n")), "{receipt}");
    }
}

#[test]
fn links_lead_to_files() {
    let link = Regex::new(r"\]\(([^)#]+)\)").unwrap();
    let mut count = 0;
    for name in [
        "README.md",
        "examples/README.md",
        "examples/ci/README.md",
        "docs/receipts.md",
        "docs/checks.md",
        "docs/reports.md",
        "docs/threat-model.md",
        "docs/dependencies.md",
        "SECURITY.md",
        "docs/performance.md",
        "CHANGELOG.md",
    ] {
        for link in link.captures_iter(&page(name)) {
            let target = link[1].to_owned();
            if target.starts_with("https://") {
                continue;
            }
            let folder = root().join(name);
            let there = folder.parent().unwrap().join(&target).exists();
            assert!(there, "{name}: {target} does not exist");
            count += 1;
        }
    }
    assert!(count >= 5, "{count} links");
}

#[test]
fn a_page_is_read_with_its_outputs_and_statuses() {
    let text = "```sh\naov x\n```\n\n```console\n$ aov a b\none\n\n$ echo $?\n1\n$ aov c\n```\n";
    let expected = [
        Shown { line: 6, command: "aov a b", output: "one\n".to_owned(), status: Some(1) },
        Shown { line: 11, command: "aov c", output: String::new(), status: None },
    ];
    assert_eq!(shown(text), expected);
    assert_eq!(shown(text)[0].arguments(), (vec!["a", "b"], None));
    let text = "```console\n$ aov a > b\n```\n\n```json c.json\n{}\n```\n";
    assert_eq!(shown(text)[0].arguments(), (vec!["a"], Some("b")));
    assert_eq!(page_files(text), [("c.json", "{}\n".to_owned())]);
}

#[test]
fn only_what_differs_in_every_run_is_normalised() {
    let text = r#"{"verification_id":"28afb453-7c39-4993-a9c4-fcade1b7924f","task_id":"a"}"#;
    assert_eq!(normalised(text), r#"{"verification_id":"an id","task_id":"a"}"#);
    let text = r#""verified_at": "2026-10-01T01:01:09.606993+00:00""#;
    assert_eq!(normalised(text), r#""verified_at": "a time""#);
    let sheet =
        "    signed at    2026-10-01T01:01:09.606993+00:00\n    time           signed 1 day ago";
    let sheet_normalised = "    signed at    a time\n    time           signed some time ago";
    assert_eq!(normalised(sheet), sheet_normalised);
    assert_eq!(normalised(r#"key version "v1-2026-11-30b""#), r#"key version "a key version""#);
    for kept in [
        r#"key version "v1-2026-09c""#,
        r#""publicKey": "d2IHH0/Xduci""#,
        r#""verification_id": "28afb453""#,
        r#""verified_at": "2026-10-01T01:01:09Z""#,
        r#""task_id": "28afb453-7c39-4993-a9c4-fcade1b7924f""#,
    ] {
        assert_eq!(normalised(kept), kept);
    }
}
