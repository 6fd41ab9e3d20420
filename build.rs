//! Links the program so that it starts fast and small, where the linker is known.

use std::path::Path;
use std::{env, fs};

/// The functions that checks of one small output run, without what changes with the compiler; written by
/// benches/startup.sh.
const STARTUP: &str = "build/startup.txt";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={STARTUP}");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    if !is("PROFILE", "release")
        || !is("CARGO_CFG_TARGET_OS", "linux")
        || !is("CARGO_CFG_TARGET_ENV", "gnu")
    {
        return;
    }
    // A program that can lie anywhere has 37,000 pointers to set right before it begins, which is a
    // third of the time that checking one output takes. Heap, stack and libraries stay where chance
    // puts them.
    println!("cargo::rustc-link-arg-bins=-no-pie");
    // Not every linker knows this kind of script. GNU ld and LLD do, and one of them it is where nobody
    // asked for another.
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    if env::var_os("RUSTC_LINKER").is_none() && !flags.contains("link") {
        put_side_by_side();
    }
}

/// Has the functions of [`STARTUP`] put into one place. The system reads a program in pieces of 64 kB
/// around what is run; scattered over all of it, a fiftieth of the code brings a fifth into memory.
fn put_side_by_side() {
    let (Ok(names), Ok(out)) = (fs::read_to_string(STARTUP), env::var("OUT_DIR")) else {
        return;
    };
    let mut script = "SECTIONS\n{\n  .text.startup_first :\n  {\n".to_owned();
    for name in names.lines() {
        // `$` could be the script's own; `?` stands for any one character.
        let name = name.replace('$', "?");
        script.push_str(&format!("    *(.text.{name} .text.unlikely.{name})\n"));
    }
    script.push_str("  }\n}\nINSERT BEFORE .text;\n");
    let path = Path::new(&out).join("startup.ld");
    if fs::write(&path, script).is_ok() {
        println!("cargo::rustc-link-arg-bins=-T{}", path.display());
    }
}
