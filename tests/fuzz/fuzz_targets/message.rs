#![no_main]

#[path = "../serve/mod.rs"]
#[allow(dead_code)]
mod serve;

libfuzzer_sys::fuzz_target!(|data: &[u8]| serve::message(data));
