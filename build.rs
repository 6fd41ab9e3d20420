//! Links the program at a fixed address where that makes it start faster.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    // A program that can lie anywhere has 37,000 pointers to set right before it begins, which is a
    // third of the time that checking one output takes. Heap, stack and libraries stay where chance
    // puts them.
    if is("PROFILE", "release")
        && is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_ENV", "gnu")
    {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
