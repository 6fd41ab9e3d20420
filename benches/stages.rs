//! What each stage of a check costs, in one process and on one thread:
//! `cargo bench --locked`, or `cargo bench --locked -- NAME` for some of them.
//!
//! Beside each stage stands what holds it back in the end. The group `limit` measures those limits
//! on the machine at hand, so that a figure can be held against them.

#![allow(missing_docs)]

mod work;

use std::hint::black_box;
use std::time::Duration;

use agent_output_verifier::attest::{Signer, Unsigned};
use agent_output_verifier::check_receipt::{
    About, KeySource, ReceiptVerdict, Required, Terms, Wording, check,
};
use agent_output_verifier::digest::Digest;
use agent_output_verifier::jcs;
use agent_output_verifier::json::{Buffers, Document, Value};
use agent_output_verifier::key::{SigningKey, decode_base64};
use agent_output_verifier::receipt::Receipt;
use agent_output_verifier::report::Verdict;
use agent_output_verifier::request::{Detail, Requirements, Supplied};
use agent_output_verifier::response::{Response, Subject};
use agent_output_verifier::verify::{conclude, verdict, verify};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// The time that all receipts bear, and a minute later, at which they are checked.
const SIGNED_AT: &str = "2026-11-30T12:00:00.000000+00:00";
const NOW: i64 = 1_796_040_060_000_000;

/// Receipts that are signed together, as a batch does.
const TOGETHER: u64 = 32;

fn document(text: &str) -> Document<'_> {
    Document::parse(text.as_bytes()).expect("the work is JSON")
}

fn requirements<'d>(schema: Option<Value<'d>>, rules: Option<Value<'d>>) -> Requirements<'d> {
    let supplied = Supplied { schema, rules, enforce_rules: true, ..Supplied::default() };
    Requirements::compile(supplied).expect("the work's requirements are right")
}

fn signer(key: &SigningKey) -> Signer<'_> {
    Signer {
        key,
        key_version: "v1-2026-11-30",
        public_key_url: Some("https://acme.example/.well-known/agent-card.json"),
        service: Some("Acme"),
        mcp: Some("https://acme.example/mcp"),
    }
}

fn subject(output: Value<'_>, detail: Detail) -> Subject<'_> {
    Subject {
        verification_id: "5f8d158e-c2f9-4289-8a17-6cee867f80d2",
        task_id: "batch.jsonl:4711",
        agent_id: Some("seller-274"),
        output,
        verified_at: SIGNED_AT,
        detail,
    }
}

/// A receipt of the invoice, on one line.
fn receipt(key: &SigningKey, detail: Detail) -> String {
    let (schema, rules) = (document(work::SCHEMA), document(work::RULES));
    let requirements = requirements(Some(schema.root()), Some(rules.root()));
    let output = document(work::INVOICE);
    let report = verify(&requirements, output.root()).expect("it is decided");
    let subject = subject(output.root(), detail);
    let mut response = Response::new(subject, &requirements, &report);
    let mut json = Vec::new();
    signer(key).sign(&mut response, &mut json).expect("it can be written");
    String::from_utf8(json).expect("JSON is UTF-8")
}

/// What the machine can do, one core.
fn limit(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("limit");
    // Memory: what any stage has to do at least is to read its input once. The first comes from the
    // processor's cache, the second does not fit into it.
    for (name, size) in [("read/64 kB", 64 << 10), ("read/256 MB", 256 << 20)] {
        let bytes = vec![b'x'; size];
        group.throughput(Throughput::Bytes(size as u64));
        group.bench_function(name, |b| b.iter(|| memchr::memchr(b'\n', black_box(&bytes))));
    }
    // The processor's instructions for SHA-256, where it has them.
    let bytes = vec![b'x'; 1 << 20];
    group.throughput(Throughput::Bytes(1 << 20));
    group.bench_function("sha256/1 MB", |b| b.iter(|| Digest::of_bytes(black_box(&bytes))));
    // One multiplication of the curve's base point by a number, and one of two points: what
    // Ed25519 needs to sign and to verify, however short the message.
    let key = SigningKey::from_seed(&[7; 32]);
    let public = key.verifying_key();
    let signature = decode_base64(&key.sign_base64(b"")).expect("it is base64");
    let signature: [u8; 64] = signature.try_into().expect("64 bytes");
    group.throughput(Throughput::Elements(1));
    group.bench_function("ed25519 sign/0 B", |b| b.iter(|| key.sign_base64(black_box(b""))));
    group.bench_function("ed25519 verify/0 B", |b| {
        b.iter(|| public.verify(black_box(b""), &signature));
    });
    group.finish();
}

/// Text to tape. The limit is memory bandwidth: each byte is read once, 16 bytes are written for a
/// value. What keeps it from that are branches that cannot be foretold, at each token one.
fn parse(criterion: &mut Criterion) {
    let receipt = receipt(&SigningKey::from_seed(&[7; 32]), Detail::Compact);
    let (workflow, schema) = (work::workflow(), work::workflow_schema());
    let large = work::invoices(100_000);
    let mut group = criterion.benchmark_group("parse");
    for (name, text) in [
        ("invoice", work::INVOICE),
        ("receipt", &receipt),
        ("workflow", &workflow),
        ("workflow schema", &schema),
        ("array of 100,000 invoices", &large),
    ] {
        group.throughput(Throughput::Bytes(text.len() as u64));
        let mut buffers = Some(Buffers::default());
        group.bench_function(name, |b| {
            b.iter(|| {
                let taken = buffers.take().unwrap_or_default();
                let document = Document::parse_with(black_box(text.as_bytes()), taken);
                buffers = document.ok().map(Document::into_buffers);
            });
        });
    }
    group.finish();
}

/// Tape to canonical bytes, and on to their hash. The limit of the first is a copy of the text at
/// memory bandwidth, that of the second SHA-256's instructions (group `limit`), which have nothing
/// to do before a block of 64 bytes is full.
fn canonical(criterion: &mut Criterion) {
    let receipt = receipt(&SigningKey::from_seed(&[7; 32]), Detail::Compact);
    let workflow = work::workflow();
    let mut group = criterion.benchmark_group("canonical");
    for (name, text) in [("invoice", work::INVOICE), ("receipt", &receipt), ("workflow", &workflow)]
    {
        let document = document(text);
        let mut bytes = Vec::with_capacity(text.len() * 2);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(format!("bytes/{name}"), |b| {
            b.iter(|| {
                bytes.clear();
                jcs::write(black_box(document.root()), &mut bytes);
            });
        });
        group.bench_function(format!("hash/{name}"), |b| {
            b.iter(|| Digest::of(black_box(document.root())));
        });
    }
    group.finish();
}

/// Schema, bounds and rules from text to what is walked. Bound by memory again, but of small pieces:
/// each subschema, name and pattern is a piece of its own, and the meta-schema is walked first.
fn compile(criterion: &mut Criterion) {
    let workflow_schema = work::workflow_schema();
    let mut group = criterion.benchmark_group("compile");
    for (name, text) in [("invoice", work::SCHEMA), ("workflow", &workflow_schema)] {
        let schema = document(text);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |b| {
            b.iter(|| requirements(Some(black_box(schema.root())), None));
        });
    }
    group.finish();
}

/// The schema's verdict, and the whole report with every check counted and the text looked through.
/// Both walk a tape that the cache holds, so the limit is the processor's steps: a few for each
/// keyword at each value, and one branch that cannot be foretold. The report reads every string once
/// more, at memory bandwidth at best.
fn judge(criterion: &mut Criterion) {
    let (workflow, workflow_schema) = (work::workflow(), work::workflow_schema());
    let mut group = criterion.benchmark_group("judge");
    for (name, schema, text) in [
        ("invoice", work::SCHEMA, work::INVOICE),
        ("workflow", &workflow_schema, workflow.as_str()),
    ] {
        let (schema, output) = (document(schema), document(text));
        let requirements = requirements(Some(schema.root()), None);
        assert_eq!(verdict(&requirements, output.root()), Ok(Verdict::Pass), "{name}");
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(format!("verdict/{name}"), |b| {
            b.iter(|| verdict(&requirements, black_box(output.root())));
        });
        group.bench_function(format!("count/{name}"), |b| {
            b.iter(|| verify(&requirements, black_box(output.root())));
        });
    }
    group.finish();
}

/// Rules alone, the schema allowing anything. The limit is the processor's steps again; sums are of
/// exact decimals, and `unique` and `exists_in` hash each value once.
fn rules(criterion: &mut Criterion) {
    let output = document(work::INVOICE);
    let mut group = criterion.benchmark_group("rules");
    for (name, text) in [("sum", work::SUM_RULE), ("one of each type", work::RULES)] {
        let rules = document(text);
        let requirements = requirements(None, Some(rules.root()));
        assert_eq!(verdict(&requirements, output.root()), Ok(Verdict::Pass), "{name}");
        group.throughput(Throughput::Elements(rules.root().len() as u64));
        group.bench_function(name, |b| {
            b.iter(|| verdict(&requirements, black_box(output.root())));
        });
    }
    group.finish();
}

/// A report to the response's text, with its hashes. The limit is SHA-256 over the output, and, in
/// the full shape, over the whole request.
fn render(criterion: &mut Criterion) {
    let (schema, rules) = (document(work::SCHEMA), document(work::RULES));
    let requirements = requirements(Some(schema.root()), Some(rules.root()));
    let output = document(work::INVOICE);
    let report = verify(&requirements, output.root()).expect("it is decided");
    let mut group = criterion.benchmark_group("render");
    for (name, detail) in [("compact", Detail::Compact), ("full", Detail::Full)] {
        let subject = subject(output.root(), detail);
        let mut out = Vec::new();
        group.bench_function(name, |b| {
            b.iter(|| {
                out.clear();
                let response = Response::new(black_box(subject), &requirements, &report);
                response.write(&mut out)
            });
        });
    }
    group.finish();
}

/// A report to a receipt's text: rendered as above, in canonical form, signed. The limit is the
/// multiplication of the base point (group `limit`); two passes of SHA-512 over the message come on
/// top. Signed together, many share the inversion that is a fifth of it.
fn sign(criterion: &mut Criterion) {
    let (schema, rules) = (document(work::SCHEMA), document(work::RULES));
    let requirements = requirements(Some(schema.root()), Some(rules.root()));
    let output = document(work::INVOICE);
    let report = verify(&requirements, output.root()).expect("it is decided");
    let key = SigningKey::from_seed(&[7; 32]);
    let signer = signer(&key);
    let mut group = criterion.benchmark_group("sign");
    for (name, detail) in [("compact", Detail::Compact), ("full", Detail::Full)] {
        let text = receipt(&key, detail);
        let parsed = document(&text);
        let message = Receipt::read(parsed.root()).expect("it is a receipt").signed_message();
        group.bench_function(format!("signature/{name}"), |b| {
            b.iter(|| key.sign_base64(black_box(&message)));
        });
        let messages = [message.as_slice(); TOGETHER as usize];
        group.throughput(Throughput::Elements(TOGETHER));
        group.bench_function(format!("together/{name}"), |b| {
            b.iter(|| key.sign_each(black_box(&messages)));
        });
        let subject = subject(output.root(), detail);
        let mut out = Vec::new();
        group.throughput(Throughput::Elements(1));
        group.bench_function(format!("receipt/{name}"), |b| {
            b.iter(|| {
                out.clear();
                let mut response = Response::new(black_box(subject), &requirements, &report);
                signer.sign(&mut response, &mut out)
            });
        });
    }
    group.finish();
}

/// The signature alone, and a whole receipt from its tape: canonical form, signature, key, issuer,
/// time. The limit is the multiplication of two points (group `limit`), as every signature is verified
/// by itself and strictly.
fn verify_receipt(criterion: &mut Criterion) {
    const NAMES: Wording = Wording {
        agent_card: "a card",
        public_key: "a key",
        issuer: "an issuer",
        future: "a time",
        output: "the output",
        schema: "the schema",
        rules: "the rules",
        request: "the request",
    };
    let key = SigningKey::from_seed(&[7; 32]);
    let public = key.verifying_key();
    let terms = Terms {
        key: KeySource::Given { key: &public, key_version: None },
        issuers: &[],
        now: NOW,
        about: About::Nothing,
        recheck: false,
        required: &Required::default(),
        wording: &NAMES,
    };
    let mut group = criterion.benchmark_group("verify");
    for (name, detail) in [("compact", Detail::Compact), ("full", Detail::Full)] {
        let text = receipt(&key, detail);
        let parsed = document(&text);
        let receipt = Receipt::read(parsed.root()).expect("it is a receipt");
        let message = receipt.signed_message();
        let signature = decode_base64(receipt.signature).expect("it is base64");
        let signature: [u8; 64] = signature.try_into().expect("64 bytes");
        assert!(public.verify(&message, &signature));
        assert_eq!(check(parsed.root(), &terms).verdict, ReceiptVerdict::Valid, "{text}");
        group.bench_function(format!("signature/{name}"), |b| {
            b.iter(|| public.verify(black_box(&message), &signature));
        });
        group.bench_function(format!("receipt/{name}"), |b| {
            b.iter(|| check(black_box(parsed.root()), &terms));
        });
    }
    group.finish();
}

/// All of a line's stages one after the other, as a batch has them.
fn line(criterion: &mut Criterion) {
    let (schema, rules) = (document(work::SCHEMA), document(work::SUM_RULE));
    let plain = requirements(Some(schema.root()), None);
    let ruled = requirements(Some(schema.root()), Some(rules.root()));
    let key = SigningKey::from_seed(&[7; 32]);
    let signer = signer(&key);
    let mut group = criterion.benchmark_group("line");
    group.throughput(Throughput::Elements(1));
    let mut buffers = Buffers::default();
    group.bench_function("verdict", |b| {
        b.iter(|| {
            let taken = std::mem::take(&mut buffers);
            let text = black_box(work::INVOICE.as_bytes());
            let document = Document::parse_with(text, taken).expect("the work is JSON");
            let verdict = verdict(&plain, document.root());
            buffers = document.into_buffers();
            verdict
        });
    });
    // As a batch does it.
    let (mut out, mut unsigned) = (Vec::new(), Unsigned::default());
    group.throughput(Throughput::Elements(TOGETHER));
    group.bench_function("receipts", |b| {
        b.iter(|| {
            out.clear();
            for _ in 0..TOGETHER {
                let taken = std::mem::take(&mut buffers);
                let text = black_box(work::INVOICE.as_bytes());
                let document = Document::parse_with(text, taken).expect("the work is JSON");
                let conclusion = conclude(&ruled, document.root()).expect("it is decided");
                let subject = subject(document.root(), Detail::Compact);
                let mut response = Response::compact(subject, &ruled, &conclusion);
                let written = signer.write(&mut response, &mut unsigned, &mut out);
                written.expect("it can be written");
                buffers = document.into_buffers();
            }
            unsigned.sign(&key, &mut out);
        });
    });
    group.finish();
}

criterion_group! {
    name = stages;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .sample_size(30);
    targets = limit, parse, canonical, compile, judge, rules, render, sign, verify_receipt, line
}
criterion_main!(stages);
