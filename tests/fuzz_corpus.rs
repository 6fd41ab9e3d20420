//! The fuzz targets over their corpus and over what they found, without a fuzzer: `tests/fuzz` has
//! both, and tells how to fuzz.

#[allow(dead_code)]
#[path = "fuzz/targets.rs"]
mod targets;

#[cfg(feature = "serve")]
#[path = "fuzz/serve/mod.rs"]
mod serve;

use std::path::Path;

/// What a target does with its bytes.
type Target = fn(&[u8]);

/// Every target over every file of its folder.
fn replay(targets: &[(&str, Target)]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus");
    for (name, target) in targets {
        let entries = std::fs::read_dir(folder.join(name)).expect(name);
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        assert!(paths.len() > 5, "{name} has a corpus of {}", paths.len());
        for path in paths {
            let bytes = std::fs::read(&path).unwrap();
            let outcome = std::panic::catch_unwind(|| target(&bytes));
            assert!(outcome.is_ok(), "{} fails on {}", name, path.display());
        }
    }
}

#[test]
fn what_the_library_is_fuzzed_with_holds() {
    replay(targets::TARGETS);
}

#[cfg(feature = "serve")]
#[test]
fn what_the_server_is_fuzzed_with_holds() {
    replay(serve::TARGETS);
}

/// Each has its own program for the fuzzer, so that none is forgotten.
#[test]
fn every_target_can_be_fuzzed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = std::fs::read_to_string(root.join("tests/fuzz/Cargo.toml")).unwrap();
    let names = targets::TARGETS.iter().map(|(name, _)| *name).chain(["message", "body"]);
    for name in names {
        let text = std::fs::read_to_string(root.join(format!("tests/fuzz/fuzz_targets/{name}.rs")));
        let call = format!("::{name}(data)");
        assert!(text.is_ok_and(|text| text.contains(&call)), "no program for {name}");
        assert!(manifest.contains(&format!("\nname = \"{name}\"\n")), "{name} is not built");
    }
}
