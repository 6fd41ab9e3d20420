//! `completions/` and `man/` hold what the binary prints, and shells and `man` take it.
//!
//! With `AOV_UPDATE_GENERATED=1` what is printed now is written into both folders first, and what is
//! no longer printed is removed. Checks by a shell or by `man` run where there is one; what
//! was left out is said on standard error.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Once;

use regex::Regex;

mod common;

use common::Aov;

/// Each shell, and the name that its script has.
const SHELLS: [(&str, &str); 5] = [
    ("bash", "aov.bash"),
    ("zsh", "_aov"),
    ("fish", "aov.fish"),
    ("powershell", "aov.ps1"),
    ("elvish", "aov.elv"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn printed(args: &[&str]) -> String {
    let run = Aov::new(args).run();
    assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{args:?}");
    run.stdout
}

/// The commands, as the page of the whole lists them.
fn commands() -> Vec<String> {
    let listed = Regex::new(r"(?m)^aov\\-([a-z\\-]+)\(1\)$").unwrap();
    let page = printed(&["man"]);
    let names = listed.captures_iter(&page).map(|found| found[1].replace('\\', ""));
    let names: Vec<String> = names.collect();
    let help = printed(&["--help"]);
    for name in &names {
        assert!(help.contains(&format!("\n  {name} ")), "{name} is not in the help");
    }
    assert!(names.len() >= 9, "{names:?}");
    names
}

/// Every file, by its path, with what it is to hold.
fn files() -> BTreeMap<PathBuf, String> {
    let mut files = BTreeMap::new();
    for (shell, name) in SHELLS {
        files.insert(Path::new("completions").join(name), printed(&["completions", shell]));
    }
    files.insert("man/aov.1".into(), printed(&["man"]));
    for name in commands() {
        files.insert(format!("man/aov-{name}.1").into(), printed(&["man", &name]));
    }
    files
}

/// The files that there are.
fn listed() -> Vec<PathBuf> {
    let mut present = Vec::new();
    for folder in ["completions", "man"] {
        for entry in fs::read_dir(root().join(folder)).into_iter().flatten() {
            present.push(Path::new(folder).join(entry.unwrap().file_name()));
        }
    }
    present.sort();
    present
}

/// The folders' files, brought up to date first where that is asked for.
fn present() -> Vec<PathBuf> {
    static UPDATE: Once = Once::new();
    UPDATE.call_once(|| {
        if std::env::var_os("AOV_UPDATE_GENERATED").is_some() {
            update();
        }
    });
    listed()
}

fn update() {
    let files = files();
    for old in listed().iter().filter(|path| !files.contains_key(*path)) {
        fs::remove_file(root().join(old)).unwrap();
    }
    for (path, text) in &files {
        let path = root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// Whether a program is at hand; says so where it is not.
fn is_at_hand(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        eprintln!("left out: {program} is not at hand");
    }
    found
}

/// Runs a program in the repository's folder: its output, where it says nothing on standard error.
fn run(program: &str, args: &[&str]) -> String {
    let mut command = Command::new(program);
    command.args(args).current_dir(root()).env("LC_ALL", "C.UTF-8").env("MANWIDTH", "80");
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{program} {args:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_files_hold_what_is_printed() {
    let (present, files) = (present(), files());
    let expected: Vec<&PathBuf> = files.keys().collect();
    assert_eq!(present.iter().collect::<Vec<_>>(), expected);
    for (path, text) in &files {
        // Git may have changed the line ends of a checkout.
        let held = fs::read_to_string(root().join(path)).unwrap().replace("\r\n", "\n");
        let help = "AOV_UPDATE_GENERATED=1 cargo test --test generated";
        assert!(held == *text, "{} is not what is printed; {help} renews it", path.display());
    }
}

#[test]
fn shells_take_their_scripts() {
    assert_eq!(present().iter().filter(|path| path.starts_with("completions")).count(), 5);
    for (program, args) in [
        ("bash", &["-n", "completions/aov.bash"][..]),
        ("zsh", &["-n", "completions/_aov"]),
        ("fish", &["--no-execute", "completions/aov.fish"]),
        ("elvish", &["-compileonly", "completions/aov.elv"]),
    ] {
        if is_at_hand(program) {
            assert_eq!(run(program, args), "");
        }
    }
    if is_at_hand("pwsh") {
        let script = "$errors = $null; \
                      [void][System.Management.Automation.Language.Parser]::ParseFile(\
                      (Resolve-Path completions/aov.ps1), [ref]$null, [ref]$errors); \
                      $errors | ForEach-Object { $_.Message }";
        assert_eq!(run("pwsh", &["-NoProfile", "-Command", script]), "");
    }
}

#[test]
fn bash_completes_commands_options_and_values() {
    if cfg!(windows) || !is_at_hand("bash") {
        return;
    }
    assert!(present().contains(&"completions/aov.bash".into()));
    for (words, completed) in [
        ("aov ver", "verify"),
        ("aov check", "check-receipt"),
        ("aov verify --templ", "--template"),
        ("aov verify --format sa", "sarif"),
        ("aov completions power", "powershell"),
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        let last = words.len() - 1;
        let script = format!(
            "source completions/aov.bash; COMP_WORDS=({}); COMP_CWORD={last}; \
             _aov aov {} {}; echo \"${{COMPREPLY[@]}}\"",
            words.join(" "),
            words[last],
            words[last - 1]
        );
        assert_eq!(run("bash", &["-c", &script]).trim(), completed, "{words:?}");
    }
}

#[test]
fn man_takes_every_page_without_a_warning() {
    if cfg!(windows) || !is_at_hand("man") {
        return;
    }
    let pages: Vec<PathBuf> =
        present().into_iter().filter(|path| path.starts_with("man")).collect();
    assert!(pages.len() >= 10, "{pages:?}");
    for page in pages {
        let shown = run("man", &["--warnings", "-l", page.to_str().unwrap()]);
        for heading in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES"] {
            let there = shown.lines().any(|line| line == heading);
            assert!(there, "{}: no {heading}:\n{shown}", page.display());
        }
    }
}
