//! The examples for CI do what they say: each command of theirs that calls `aov` is run as it is
//! written, and the script that pays pays on nothing but a valid receipt.
//!
//! What takes a service (checkouts, caches, toolchains, uploads) is not run. A format that this
//! `aov` does not list is replaced by `human`, so that the rest of its command is run anyway.

#![cfg(unix)]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use common::{Sandbox, vector};
use saphyr::{LoadableYamlNode as _, Yaml};

fn text_of(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The one document of a YAML text.
fn yaml(text: &str) -> Yaml<'_> {
    let mut documents = Yaml::load_from_str(text).unwrap();
    assert_eq!(documents.len(), 1);
    documents.remove(0)
}

/// The text at a path of names and positions.
#[track_caller]
fn at<'y>(yaml: &'y Yaml<'_>, path: &[&str]) -> &'y str {
    let mut here = yaml;
    for step in path {
        let next = match step.parse() {
            Ok(place) => here.as_sequence_get(place),
            Err(_) => here.as_mapping_get(step),
        };
        here = next.unwrap_or_else(|| panic!("no {step} of {path:?}"));
    }
    here.as_str().unwrap_or_else(|| panic!("{path:?} is no text"))
}

#[track_caller]
fn elements<'y>(yaml: &'y Yaml<'_>, name: &str) -> &'y Vec<Yaml<'y>> {
    yaml.as_mapping_get(name).and_then(Yaml::as_sequence).unwrap_or_else(|| panic!("no {name}"))
}

/// A shell in a folder, that finds this `aov` first and knows the variables.
fn shell(folder: &Sandbox, script: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new("sh");
    // As both services run commands: the first that fails ends the script.
    command.args(["-e", "-c", script]).current_dir(folder.path(""));
    with_aov(&mut command).envs(variables.iter().copied()).output().unwrap()
}

fn with_aov(command: &mut Command) -> &mut Command {
    let folder = Path::new(env!("CARGO_BIN_EXE_aov")).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    command.env("PATH", format!("{}:{path}", folder.display())).env_remove("AOV_AGENT_CARD")
}

/// Whether `aov verify` lists a format.
fn knows(format: &str) -> bool {
    let help = common::Aov::new(&["verify", "--help"]).run().stdout;
    let (_, help) = help.split_once("--format <").expect("the option is there");
    // Up to the next option.
    let help = help.split("\n      -").next().unwrap();
    assert!(help.contains("ndjson"), "{help}");
    regex::Regex::new(&format!(r"\b{format}\b")).unwrap().is_match(help)
}

/// A script with the formats that this `aov` has.
fn with_known_formats(script: &str, formats: &[&str]) -> String {
    let mut script = script.to_owned();
    for format in formats {
        let option = format!("--format {format}");
        assert!(script.contains(&option), "{format} is not used");
        if !knows(format) {
            script = script.replace(&option, "--format human");
        }
    }
    script
}

/// What the pipelines find: a contract, and outputs.
fn delivery(outputs: &[(&str, &str)]) -> Sandbox {
    let contract = text_of("examples/invoice/template.json");
    let mut folder = Sandbox::new().with("contract/template.json", contract);
    folder = folder.with_folder("outputs");
    for (name, text) in outputs {
        folder = folder.with(&format!("outputs/{name}"), text);
    }
    folder
}

/// Deliveries, and the status that each must come to.
fn deliveries() -> [(Sandbox, i32); 4] {
    let good = text_of("examples/invoice/final.json");
    let wrong = text_of("examples/invoice/draft.json");
    [
        (delivery(&[("a.json", &good), ("more/b.json", &good)]), 0),
        (delivery(&[("a.json", &good), ("more/b.json", &wrong)]), 1),
        (delivery(&[("a.json", &good), ("b.json", &wrong), ("c.json", "{")]), 2),
        // What was not checked has not passed.
        (delivery(&[]), 2),
    ]
}

#[test]
fn the_workflow_checks_the_outputs() {
    let text = text_of("examples/ci/github-actions.yml");
    let workflow = yaml(&text);
    // Below the name `on`, which older readers of YAML take for a boolean.
    for event in ["pull_request", "push"] {
        assert!(workflow.as_mapping_get("on").unwrap().contains_mapping_key(event), "{event}");
    }
    assert_eq!(at(&workflow, &["permissions", "contents"]), "read");
    let names = ["AOV_SOURCE", "AOV_REVISION", "RUST", "CONTRACT", "OUTPUTS"];
    let mut variables: Vec<(&str, &str)> =
        names.iter().map(|name| (*name, at(&workflow, &["env", name]))).collect();
    assert_eq!(workflow.as_mapping_get("env").unwrap().as_mapping().unwrap().len(), names.len());
    variables.push(("GITHUB_STEP_SUMMARY", "summary.md"));

    let job = workflow.as_mapping_get("jobs").unwrap().as_mapping_get("verify").unwrap();
    let steps = elements(job, "steps");
    let runs: Vec<&str> =
        steps.iter().filter_map(|step| step.as_mapping_get("run").and_then(Yaml::as_str)).collect();
    let [install, path, check] = runs[..] else { panic!("{runs:?}") };
    is_a_pinned_install(install);
    assert!(path.contains("GITHUB_PATH"));
    let check = with_known_formats(check, &["markdown", "github"]);
    for (folder, status) in deliveries() {
        let run = shell(&folder, &check, &variables);
        let printed = String::from_utf8(run.stdout).unwrap();
        assert_eq!(run.status.code(), Some(status), "{printed}");
        let summary = folder.read("summary.md");
        let has_outputs = folder.path("outputs").read_dir().unwrap().next().is_some();
        if has_outputs {
            assert!(!summary.is_empty());
        }
        if has_outputs && status != 0 && knows("github") {
            assert!(printed.lines().any(|line| line.starts_with("::error ")), "{printed}");
        }
    }
}

#[test]
fn the_job_checks_the_outputs() {
    let text = text_of("examples/ci/gitlab-ci.yml");
    let jobs = yaml(&text);
    let job = jobs.as_mapping_get("verify-outputs").unwrap();
    let names = ["AOV_SOURCE", "AOV_REVISION", "CONTRACT", "OUTPUTS"];
    let variables: Vec<(&str, &str)> =
        names.iter().map(|name| (*name, at(job, &["variables", name]))).collect();
    assert_eq!(job.as_mapping_get("variables").unwrap().as_mapping().unwrap().len(), names.len());
    let before: Vec<&str> =
        elements(job, "before_script").iter().map(|line| line.as_str().unwrap()).collect();
    let [install, path] = before[..] else { panic!("{before:?}") };
    is_a_pinned_install(install);
    assert!(path.starts_with("export PATH="));
    let script: Vec<&str> =
        elements(job, "script").iter().map(|line| line.as_str().unwrap()).collect();
    let check = with_known_formats(&script.join("\n"), &["junit"]);
    let report = at(job, &["artifacts", "reports", "junit"]);
    for (folder, status) in deliveries() {
        let run = shell(&folder, &check, &variables);
        let printed = String::from_utf8(run.stdout).unwrap();
        assert_eq!(run.status.code(), Some(status), "{printed}");
        if folder.path("outputs").read_dir().unwrap().next().is_some() {
            let report = folder.read(report);
            assert!(!knows("junit") || report.contains("<testsuite"), "{report}");
        }
    }
}

/// An install as it should be: with the lock file's versions, of a commit that was looked at.
#[track_caller]
fn is_a_pinned_install(script: &str) {
    for part in ["cargo ", " install --locked ", "--git \"$AOV_SOURCE\"", "--rev \"$AOV_REVISION\""]
    {
        assert!(script.contains(part), "{part} is not in {script}");
    }
}

#[test]
fn the_hook_checks_the_files_that_it_is_given() {
    let hooks = text_of(".pre-commit-hooks.yaml");
    let hooks = yaml(&hooks);
    assert_eq!(hooks.as_sequence().unwrap().len(), 1);
    let hook = hooks.as_sequence_get(0).unwrap();
    for (name, value) in [("id", "aov-verify"), ("language", "rust"), ("files", r"\.json$")] {
        assert_eq!(at(hook, &[name]), value);
    }

    // The use that the page shows.
    let page = text_of("examples/ci/README.md");
    let (_, used) = page.split_once("```yaml\n").unwrap();
    let (used, _) = used.split_once("```\n").unwrap();
    let used = yaml(used);
    let used = used.as_mapping_get("repos").unwrap().as_sequence_get(0).unwrap();
    let used = elements(used, "hooks").first().unwrap();
    assert_eq!(at(used, &["id"]), at(hook, &["id"]));
    let files = regex::Regex::new(at(used, &["files"])).unwrap();

    for (folder, status) in deliveries() {
        let mut arguments: Vec<&str> = at(hook, &["entry"]).split(' ').skip(1).collect();
        arguments.extend(elements(used, "args").iter().map(|word| word.as_str().unwrap()));
        let names: Vec<&str> =
            ["outputs/a.json", "outputs/b.json", "outputs/c.json", "outputs/more/b.json"]
                .into_iter()
                .filter(|name| folder.path(name).exists())
                .collect();
        assert!(names.iter().all(|name| files.is_match(name)));
        if names.is_empty() {
            // The hook is not run then.
            continue;
        }
        arguments.extend(names);
        let run = folder.aov(&arguments).run();
        assert_eq!(run.status, status, "{}", run.stdout);
    }
    assert!(!files.is_match("contract/template.json"));
    // Without its args it holds the files against nothing, and says so.
    let folder = delivery(&[("a.json", "{}")]);
    assert_eq!(folder.aov(&["verify", "outputs/a.json"]).run().status, 2);
}

const SERVICE: &str = "verify.sarnai.dev";

/// A folder with the genuine receipts and their requests, a ledger, and a `pay` that writes down
/// what it was called with.
fn till() -> Sandbox {
    let mut folder = Sandbox::new().with_folder("ledger").with(
        "pay",
        "#!/bin/sh\nprintf '%s\\n' \"$*\" >> payments\ncase $1 in fail) exit 7 ;; esac\n",
    );
    fs::set_permissions(folder.path("pay"), PermissionsExt::from_mode(0o755)).unwrap();
    for name in ["draft", "final"] {
        for part in ["receipt", "request"] {
            let text = vector(&format!("receipts/invoice-7731-{name}.{part}.json"));
            folder = folder.with(&format!("{name}.{part}.json"), text);
        }
    }
    folder
}

/// Runs the script in the folder: its status, and what it wrote to standard error.
fn pay(folder: &Sandbox, arguments: &[&str], card: Option<&str>) -> (i32, String) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR"));
    let script = script.join("examples/ci/pay-on-valid-receipt.sh");
    let mut command = Command::new("sh");
    command.arg(script).args(arguments).current_dir(folder.path(""));
    with_aov(&mut command).envs(card.map(|card| ("AOV_AGENT_CARD", card)));
    let run = command.output().unwrap();
    assert_eq!(String::from_utf8(run.stdout).unwrap(), "");
    (run.status.code().unwrap(), String::from_utf8(run.stderr).unwrap())
}

/// What `pay` was called with.
fn payments(folder: &Sandbox) -> String {
    fs::read_to_string(folder.path("payments")).unwrap_or_default()
}

#[track_caller]
fn is_refused(folder: &Sandbox, arguments: &[&str], card: Option<&str>, reason: &str) {
    let (entries, paid) = (folder.path("ledger").read_dir().unwrap().count(), payments(folder));
    let (status, said) = pay(folder, arguments, card);
    assert_eq!(status, 1, "{arguments:?}: {said}");
    let last = said.lines().last().unwrap();
    assert!(last.starts_with("not paid: "), "{arguments:?}: {said}");
    assert!(last.contains(reason), "{arguments:?}: {said}");
    assert_eq!(payments(folder), paid, "{arguments:?}");
    assert_eq!(folder.path("ledger").read_dir().unwrap().count(), entries, "{arguments:?}");
}

#[test]
fn a_valid_receipt_is_paid_once() {
    let folder = till();
    let id = "f1734fb6-1cc4-47f2-b48f-e3bf4e4e3a60";
    let arguments = [SERVICE, "final.request.json", "final.receipt.json", "ledger", "./pay", "a b"];
    assert_eq!(pay(&folder, &arguments, None), (0, String::new()));
    assert_eq!(payments(&folder), format!("a b {id}\n"));
    assert!(folder.path("ledger").join(id).is_dir());
    is_refused(&folder, &arguments, None, "this receipt was paid on before");
    // The same receipt in other bytes is the same receipt.
    let receipt = folder.read("final.receipt.json").replace('\n', " ");
    fs::write(folder.path("final.receipt.json"), receipt).unwrap();
    is_refused(&folder, &arguments, None, "this receipt was paid on before");
}

#[test]
fn a_payment_that_fails_is_not_made_again() {
    let folder = till();
    let arguments =
        [SERVICE, "final.request.json", "final.receipt.json", "ledger", "./pay", "fail"];
    let (status, said) = pay(&folder, &arguments, None);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("find out if it paid"), "{said}");
    is_refused(&folder, &arguments, None, "this receipt was paid on before");
}

#[test]
fn nothing_else_is_paid() {
    let folder = till();
    let genuine = folder.read("final.receipt.json");
    let bound = genuine.find("signature").unwrap();
    let folder = folder
        .with("altered.json", genuine.replace("\"pass\"", "\"fail\""))
        .with("of-another.json", genuine.replace(SERVICE, "forger.example"))
        .with("newer-key.json", genuine.replace("v1-2026-09c", "v1-2027-01"))
        .with("no-signature.json", genuine.replace("signature", "signatur"))
        .with("cut.json", &genuine[..bound])
        .with("empty.json", "")
        .with("twice.json", genuine.repeat(2))
        .with("several.json", format!("[{genuine}, {genuine}]"))
        .with("folder/a.json", &genuine)
        .with("-q", &genuine);
    // A failed check that says it passed.
    let failed = folder.read("draft.receipt.json");
    let folder = folder.with("painted.json", failed.replace("\"fail\"", "\"pass\""));
    let (of_final, of_draft) = ("final.request.json", "draft.request.json");
    let falsehood = "the receipt is false";
    let unproved = "the receipt proves nothing";
    let unusable = "the receipt could not be checked";
    for (request, receipt, reason) in [
        (of_draft, "draft.receipt.json", "says that the checks failed"),
        (of_draft, "painted.json", falsehood),
        (of_draft, "final.receipt.json", falsehood),
        (of_final, "draft.receipt.json", falsehood),
        (of_final, "altered.json", falsehood),
        (of_final, "of-another.json", falsehood),
        (of_final, "newer-key.json", unproved),
        (of_final, "no-signature.json", falsehood),
        (of_final, "cut.json", unusable),
        (of_final, "empty.json", unusable),
        (of_final, "twice.json", unusable),
        (of_final, "several.json", falsehood),
        (of_final, "folder", "there is no receipt"),
        (of_final, "none.json", "there is no receipt"),
        (of_final, "-", "there is no receipt"),
        ("none.json", "final.receipt.json", "there is no request"),
        ("final.receipt.json", "final.receipt.json", falsehood),
    ] {
        is_refused(&folder, &[SERVICE, request, receipt, "ledger", "./pay"], None, reason);
    }
    let genuine = "final.receipt.json";
    for (issuer, ledger, reason) in [
        ("acme.example", "ledger", falsehood),
        ("", "ledger", "no issuer is named"),
        ("--help", "ledger", ""),
        (SERVICE, "no-ledger", "there is no folder"),
    ] {
        is_refused(&folder, &[issuer, of_final, genuine, ledger, "./pay"], None, reason);
    }
    is_refused(&folder, &[SERVICE, of_final, genuine, "ledger"], None, "usage: ");
    assert_eq!(payments(&folder), "");
    // A name that looks like an option is a name.
    let (status, said) = pay(&folder, &[SERVICE, of_final, "-q", "ledger", "./pay"], None);
    assert_eq!(status, 0, "{said}");
}

#[test]
fn another_issuer_is_paid_where_it_is_the_one_that_is_named() {
    let folder = till();
    for (name, host) in [("acme", "acme.example"), ("rival", "rival.example")] {
        let (key, url) = (format!("{name}.key.json"), format!("https://{host}/card.json"));
        let names = ["--issuer-name", name, "--public-key-url", &url];
        let made = folder.aov(&[&["keygen", "-o", &key][..], &names].concat()).run();
        assert_eq!(made.status, 0, "{}", made.stderr);
        let card = folder.aov(&["agent-card", "--key", &key]).run().stdout;
        fs::write(folder.path(&format!("{name}.card.json")), card).unwrap();
        let receipt = format!("{name}.receipt.json");
        let request = ["--request", "final.request.json", "-o", &receipt];
        let signed = folder.aov(&[&["attest", "--key", &key][..], &request].concat()).run();
        assert_eq!(signed.status, 0, "{}", signed.stderr);
    }
    let ask = |issuer, receipt| [issuer, "final.request.json", receipt, "ledger", "./pay"];
    let (acme, rival) = (Some("acme.card.json"), Some("rival.card.json"));
    for (issuer, receipt, card, reason) in [
        // The service is not the one that signed.
        (SERVICE, "acme.receipt.json", None, "the receipt is false"),
        (SERVICE, "acme.receipt.json", acme, "the receipt is false"),
        // Its key is not at hand.
        ("acme.example", "acme.receipt.json", None, "the receipt proves nothing"),
        // The card is of another, and so is the receipt.
        ("acme.example", "rival.receipt.json", rival, "the receipt is false"),
        ("acme.example", "rival.receipt.json", acme, ""),
        ("acme.example", "acme.receipt.json", rival, ""),
        ("acme.example", "acme.receipt.json", Some("none.json"), "could not be checked"),
    ] {
        is_refused(&folder, &ask(issuer, receipt), card, reason);
    }
    let (status, said) = pay(&folder, &ask("acme.example", "acme.receipt.json"), acme);
    assert_eq!((status, said.as_str()), (0, ""));
    assert_eq!(payments(&folder).lines().count(), 1);
}

#[test]
fn every_example_is_in_the_table_and_run_here() {
    let table = text_of("examples/ci/README.md");
    let this = include_str!("ci_examples.rs");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/ci");
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name != "README.md" {
            assert!(table.contains(&format!("| `{name}` |")), "{name} is not in the table");
            assert!(this.contains(&format!("examples/ci/{name}")), "{name} is not run");
        }
    }
}
