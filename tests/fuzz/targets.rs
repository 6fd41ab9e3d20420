//! What the fuzz targets do with their bytes. The replay of the corpus, `tests/fuzz_corpus.rs`, does
//! the same in the ordinary tests.
//!
//! A target panics where something does not hold that must hold of any input.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, OnceLock};

use agent_output_verifier::agent_card::{self, AgentCard, Selected};
use agent_output_verifier::attest::Signer;
use agent_output_verifier::check_receipt::{
    About, Checked, GivenKey, Issuer, KeySource, ReceiptRequest, ReceiptVerdict, Required, Terms,
    Wording, check, host_of,
};
use agent_output_verifier::content::{self, TextRole};
use agent_output_verifier::datetime::{format_utc_micros, parse_instant};
use agent_output_verifier::digest::{Digest, Hasher};
use agent_output_verifier::error::ErrorBody;
use agent_output_verifier::jcs;
use agent_output_verifier::json::{Document, Kind, Number, ReadErrorKind, Value, read_elements};
use agent_output_verifier::key::{KeyFile, SigningKey, VerifyingKey, decode_base64};
use agent_output_verifier::path::{FieldPath, PathStep, Reached, dollar};
use agent_output_verifier::report::{Report, Verdict};
use agent_output_verifier::request::{
    Detail, KnownRequirements, RawRequest, Request, RequestShape, Requirements, RuleSet, Supplied,
    read_template,
};
use agent_output_verifier::response::{Response, Subject};
use agent_output_verifier::schema::{Draft, Schema};
use agent_output_verifier::score::{ScoreResponse, Tally};
use agent_output_verifier::template::infer;
use agent_output_verifier::text::{escaped, quoted, shortened};
use agent_output_verifier::verify::{conclude, verdict, verdict_by_element, verify};

/// What a target does with its bytes.
type Target = fn(&[u8]);

/// The targets of the library, by name.
pub(crate) const TARGETS: &[(&str, Target)] = &[
    ("reader", reader),
    ("canonical", canonical),
    ("request", request),
    ("rules", rules),
    ("path", path),
    ("receipt", receipt),
    ("agent_card", agent_card),
    ("key", key),
    ("pattern", pattern),
    ("formats", formats),
    ("template", template),
];

/// The reader and serde_json take the same texts for the same values, but for differences that are
/// named here; and what was read can be found again.
pub(crate) fn reader(data: &[u8]) {
    let mut offsets = 0;
    let elements = read_elements(data, |element| {
        offsets += element.end_index();
        true
    });
    if let Some(count) = elements.expect("bytes can be read") {
        let whole = Document::parse(data).expect("an array that is read by element");
        // The array itself is a node too.
        assert_eq!((whole.root().len() as u64, whole.root().end_index()), (count, offsets + 1));
    }
    let theirs = serde_json::from_slice::<serde_json::Value>(data);
    match (Document::parse(data), theirs) {
        (Ok(document), Ok(theirs)) => {
            assert!(same(document.root(), &theirs), "{:?} is not {theirs}", document.root());
            read_again(document.root());
        }
        (Ok(document), Err(error)) => {
            let error = error.to_string();
            let depth = deepest(document.root());
            // A byte order mark is passed over here, the last levels are read, and integers beyond
            // doubles are exact.
            let known = data.starts_with(b"\xEF\xBB\xBF")
                || (error.starts_with("recursion limit exceeded") && depth >= 128)
                || (error.starts_with("number out of range") && has_long_integer(document.root()));
            assert!(known, "serde_json refuses: {error}");
            read_again(document.root());
        }
        (Err(error), theirs) => {
            let strict = matches!(error.kind, ReadErrorKind::DuplicateMember(_));
            assert!(theirs.is_err() || strict, "serde_json takes what is refused: {error}");
            assert!(error.offset <= data.len() && error.position.line > 0);
            assert!(error.position.column > 0 && error.path.starts_with('$'), "{error:?}");
            let body = serde_json::to_vec(&ErrorBody::invalid_json(&error)).unwrap();
            assert!(Document::parse(&body).is_ok());
        }
    }
}

/// Whether a value is what serde_json read.
fn same(ours: Value<'_>, theirs: &serde_json::Value) -> bool {
    use serde_json::Value as Theirs;
    match theirs {
        Theirs::Null => ours.is_null(),
        Theirs::Bool(theirs) => ours.as_bool() == Some(*theirs),
        Theirs::String(theirs) => ours.as_str() == Some(theirs),
        Theirs::Number(theirs) => match ours.as_number() {
            // It holds what fits no 64 bits as the nearest double.
            Some(Number::Integer(digits)) => {
                digits == theirs.to_string() || digits.parse().ok() == theirs.as_f64()
            }
            Some(Number::Double(double)) => Some(double) == theirs.as_f64(),
            None => false,
        },
        Theirs::Array(theirs) => {
            ours.is_array()
                && ours.len() == theirs.len()
                && ours.elements().zip(theirs).all(|(ours, theirs)| same(ours, theirs))
        }
        Theirs::Object(theirs) => {
            ours.is_object()
                && ours.len() == theirs.len()
                && ours.members().all(|member| {
                    theirs.get(member.name()).is_some_and(|theirs| same(member.value(), theirs))
                })
        }
    }
}

fn deepest(value: Value<'_>) -> usize {
    let inside = value.elements().chain(value.members().map(|member| member.value()));
    let inner = inside.map(deepest).max().unwrap_or(0);
    inner + usize::from(value.is_array() || value.is_object())
}

fn has_long_integer(value: Value<'_>) -> bool {
    matches!(value.as_number(), Some(Number::Integer(digits)) if digits.len() > 300)
        || value.elements().any(has_long_integer)
        || value.members().any(|member| has_long_integer(member.value()))
}

/// Every value's own text is that value, and every member is found by its name.
fn read_again(value: Value<'_>) {
    if !matches!(value.kind(), Kind::Array | Kind::Object) {
        let document = Document::parse(value.source().as_bytes()).unwrap();
        assert_eq!(jcs::to_vec(document.root()), jcs::to_vec(value));
    }
    for (place, element) in value.elements().enumerate() {
        assert_eq!(value.element(place).map(Value::index), Some(element.index()));
        read_again(element);
    }
    for member in value.members() {
        let found = value.get(member.name()).map(Value::index);
        assert_eq!(found, Some(member.value().index()));
        read_again(member.value());
    }
}

/// The canonical form is its own canonical form, whatever the order of members and the spelling.
pub(crate) fn canonical(data: &[u8]) {
    let Ok(document) = Document::parse(data) else { return };
    let form = jcs::to_vec(document.root());
    let digest = Digest::of_bytes(&form);
    assert_eq!(Digest::of(document.root()), digest);
    let again = Document::parse(&form).unwrap();
    assert_eq!(jcs::to_vec(again.root()), form);
    let mut turned = String::new();
    respell(document.root(), &mut turned);
    let turned = Document::parse(turned.as_bytes()).unwrap();
    assert_eq!(jcs::to_vec(turned.root()), form);
    assert_eq!(Digest::of(turned.root()), digest);
    let own = Document::parse(document.root().source().as_bytes()).unwrap();
    assert_eq!(Digest::of(own.root()), digest);
}

/// Members from the last to the first, and every character escaped.
fn respell(value: Value<'_>, out: &mut String) {
    let string = |text: &str, out: &mut String| {
        out.push('"');
        text.encode_utf16().for_each(|unit| *out += &format!("\\u{unit:04X}"));
        out.push('"');
    };
    match value.kind() {
        Kind::String => string(value.as_str().unwrap(), out),
        Kind::Array => {
            out.push('[');
            for (place, element) in value.elements().enumerate() {
                *out += if place > 0 { " ,\n" } else { "" };
                respell(element, out);
            }
            out.push(']');
        }
        Kind::Object => {
            let mut members: Vec<_> = value.members().collect();
            members.reverse();
            out.push('{');
            for (place, member) in members.into_iter().enumerate() {
                *out += if place > 0 { "\t," } else { "" };
                string(member.name(), out);
                *out += " : ";
                respell(member.value(), out);
            }
            out.push('}');
        }
        _ => *out += value.source(),
    }
}

/// A whole request, or a schema and an output on a line each.
pub(crate) fn request(data: &[u8]) {
    let mut text = data.to_owned();
    if Document::parse(data).is_err()
        && let Some(end) = data.iter().position(|byte| *byte == b'\n')
    {
        let (schema, output) = (&data[..end], &data[end + 1..]);
        text = [
            br#"{"task_id":"t","expected_schema":"#.as_slice(),
            schema,
            br#","submitted_output":"#,
            output,
            b"}",
        ]
        .concat();
    }
    let Ok(document) = Document::parse(&text) else { return };
    let root = document.root();
    let raw = RawRequest::new(root);
    let raw_hash = raw.request_hash();
    let shape = RequestShape::parse(root);
    let request = match Request::parse(root) {
        Ok(request) => request,
        Err(invalid) => {
            assert!(!invalid.problems.is_empty());
            let inside_schema = invalid.problems.iter().all(|p| p.field == "expected_schema");
            assert!(shape.is_err() || inside_schema, "{invalid}");
            let body = serde_json::to_vec(&ErrorBody::invalid_request(&invalid)).unwrap();
            assert!(Document::parse(&body).is_ok());
            return;
        }
    };
    let shape = shape.expect("what is read with its schema is read without");
    let mut hasher = Hasher::default();
    shape.write_canonical(&mut hasher);
    let hash = request.requirements.request_hash(request.task_id, request.agent_id, request.output);
    assert_eq!([raw_hash, shape.request_hash(), hasher.finish()], [hash; 3]);
    let known = KnownRequirements::default();
    for _ in 0..2 {
        let read = known.read(root).expect("a request that is read alone");
        let requirements = read.held.requirements();
        assert_eq!(requirements.request_hash(read.task_id, read.agent_id, read.output), hash);
    }
    assert_eq!(raw.output_hash(), Some(shape.output_hash()));
    assert_eq!(shape.schema_hash(), request.requirements.schema_hash());
    assert_eq!(shape.rules_hash(), request.requirements.rules_hash());
    let text = request.requirements.request_text(
        request.task_id,
        request.agent_id,
        request.output,
        request.detail,
    );
    let sent = Document::parse(text.as_bytes()).expect("a request that can be sent");
    assert_eq!(RequestShape::parse(sent.root()).unwrap().request_hash(), hash);
    let Some(report) = judge(&request.requirements, request.output) else { return };
    let subject = Subject {
        verification_id: "00000000-0000-4000-8000-000000000000",
        task_id: request.task_id,
        agent_id: request.agent_id,
        output: request.output,
        verified_at: TIME,
        detail: request.detail,
    };
    let mut response = Response::new(subject, &request.requirements, &report);
    let mut text = Vec::new();
    signer().sign(&mut response, &mut text).unwrap();
    let receipt = Document::parse(&text).unwrap();
    let checked = checked(receipt.root(), About::Request(root));
    assert_eq!(checked.verdict, ReceiptVerdict::Valid, "{:?}", checked.steps);
}

/// The report, if there is a verdict, and all that holds of every one.
fn judge(requirements: &Requirements<'_>, output: Value<'_>) -> Option<Report> {
    let short = verdict(requirements, output);
    let report = verify(requirements, output);
    assert_eq!(short, report.as_ref().map(|report| report.verdict).map_err(|error| *error));
    let brief = conclude(requirements, output);
    let brief = brief.as_ref().map(|brief| (brief.verdict, &brief.blocking_checks));
    assert_eq!(brief, report.as_ref().map(|report| (report.verdict, &report.blocking_checks)));
    let by_element = verdict_by_element(requirements, output.source().as_bytes());
    if let Some(verdict) = by_element.expect("bytes can be read") {
        assert_eq!(Ok(verdict), short);
    }
    let report = report.ok()?;
    let (schema, integrity) = (report.schema_compliance, report.integrity_checks);
    for score in [schema, integrity, report.overall()] {
        assert!(score.passed <= score.total && (0.0..=1.0).contains(&score.ratio()));
    }
    assert!(schema.passed + report.schema.total() <= schema.total);
    let checks = 7 + requirements.bounds().len() + requirements.rules().len();
    assert_eq!(integrity.total, checks as u64);
    assert_eq!(report.blocking_checks.is_empty(), report.verdict == Verdict::Pass);
    assert_eq!(report.errors_total() == 0, report.verdict == Verdict::Pass);
    for finding in report.findings() {
        assert!(!report.message(finding).is_empty() && !finding.fix().is_empty());
        assert!(finding.offset <= output.document().text().len());
    }
    for finding in report.schema.listed().iter().chain(report.content.listed()) {
        // No path leads to a member without a name.
        if !finding.field.contains("\"\"") {
            assert!(is_place(&finding.field, output), "{} leads nowhere", finding.field);
        }
    }
    Some(report)
}

/// Whether a field leads to exactly one value.
fn is_place(field: &str, root: Value<'_>) -> bool {
    let Ok(path) = FieldPath::parse(field) else { return false };
    let (mut values, mut places) = (0, 0);
    path.follow(0..path.steps().len(), root, &mut |place| {
        places += 1;
        values += usize::from(matches!(place, Reached::Value(_)));
    });
    (values, places) == (1, 1)
}

/// Rules, bounds and an output, on a line each. A first line that is a template stands for both.
pub(crate) fn rules(data: &[u8]) {
    let lines: Vec<_> = data.splitn(3, |byte| *byte == b'\n').map(Document::parse).collect();
    let documents: Vec<_> = lines.into_iter().filter_map(Result::ok).collect();
    let [rules, bounds, output] = documents.as_slice() else { return };
    let supplied = match read_template(rules.root()) {
        Ok(supplied) => supplied,
        Err(_) => {
            let Ok(set) = RuleSet::read(rules.root()) else { return };
            Supplied {
                rules: set.rules,
                bounds: set.bounds.or(Some(bounds.root())),
                enforce_rules: set.enforce_rules.unwrap_or(true),
                strict_content_check: false,
                schema: None,
            }
        }
    };
    let Ok(requirements) = Requirements::compile(supplied) else { return };
    let report = judge(&requirements, output.root());
    // Twice the same.
    let again = judge(&requirements, output.root());
    assert_eq!(format!("{report:?}"), format!("{again:?}"));
}

/// A path is read, printed and read again as the same, and findings print the places it leads to.
pub(crate) fn path(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let path = match FieldPath::parse(text) {
        Ok(path) => path,
        Err(error) => {
            assert!(error.problem.contains(" at character "), "{error}");
            return;
        }
    };
    assert_eq!(FieldPath::parse(path.as_written()).as_ref(), Ok(&path));
    assert_eq!(FieldPath::parse(&dollar(path.as_written())).as_ref(), Ok(&path));
    assert_eq!(FieldPath::parse(&spelt(path.steps())).as_ref(), Ok(&path));
    assert!(path.repeated_steps() <= path.steps().len());
    let few = |step: &PathStep| !matches!(step, PathStep::Element(place) if *place > 20);
    if path.steps().len() > 100 || !path.steps().iter().all(few) {
        return;
    }
    // An output in which the path leads to a 7, and every other element is null.
    let mut output = "7".to_owned();
    let mut concrete = Vec::new();
    for step in path.steps().iter().rev() {
        output = match step {
            PathStep::Member(name) => format!("{{{}:{output}}}", json_string(name)),
            PathStep::Element(place) => format!("[{}{output}]", "null,".repeat(*place)),
            PathStep::Each => format!("[{output}]"),
        };
        concrete.insert(
            0,
            match step {
                PathStep::Each => PathStep::Element(0),
                step => step.clone(),
            },
        );
    }
    let output = Document::parse(output.as_bytes()).unwrap();
    let bounds = format!(r#"{{{}:{{"max":0}}}}"#, json_string(text));
    let bounds = Document::parse(bounds.as_bytes()).unwrap();
    let supplied =
        Supplied { bounds: Some(bounds.root()), enforce_rules: true, ..Supplied::default() };
    let requirements = Requirements::compile(supplied).unwrap();
    let report = judge(&requirements, output.root()).unwrap();
    let [finding] = report.rules.listed() else { panic!("{:?}", report.rules) };
    let printed = FieldPath::parse(&finding.field).unwrap();
    assert_eq!(printed.steps(), concrete, "{}", finding.field);
    assert!(is_place(&dollar(&finding.field), output.root()));
}

/// Steps as a path.
fn spelt(steps: &[PathStep]) -> String {
    let mut path = "$".to_owned();
    for step in steps {
        match step {
            PathStep::Member(name) => {
                path.push('.');
                for c in name.chars() {
                    path.push('\\');
                    path.push(c);
                }
            }
            PathStep::Element(place) => path += &format!("[{place}]"),
            PathStep::Each => path += "[]",
        }
    }
    path
}

fn json_string(text: &str) -> String {
    let mut bytes = Vec::new();
    jcs::write_string(text, &mut bytes);
    String::from_utf8(bytes).unwrap()
}

/// When everything here is signed, as text and in microseconds.
const TIME: &str = "2026-01-02T03:04:05.000000+00:00";
const NOW: i64 = 1_767_323_045_000_000;

fn signing_key() -> &'static SigningKey {
    static KEY: OnceLock<SigningKey> = OnceLock::new();
    KEY.get_or_init(|| SigningKey::from_seed(&[7; 32]))
}

fn signer() -> Signer<'static> {
    Signer {
        key: signing_key(),
        key_version: "k1",
        public_key_url: Some("https://signer.example/card.json"),
        service: None,
        mcp: None,
    }
}

/// The receipts that this key ever signed, small ones: full, compact, and one of a score.
pub(crate) fn receipts() -> &'static [String] {
    static RECEIPTS: OnceLock<Vec<String>> = OnceLock::new();
    RECEIPTS.get_or_init(|| {
        let text = br#"{"task_id":"t","expected_schema":{"required":["a"]},"submitted_output":{}}"#;
        let document = Document::parse(text).unwrap();
        let request = Request::parse(document.root()).unwrap();
        let report = verify(&request.requirements, request.output).unwrap();
        let mut receipts = Vec::new();
        for detail in [Detail::Compact, Detail::Full] {
            let subject = Subject {
                verification_id: "00000000-0000-4000-8000-000000000000",
                task_id: request.task_id,
                agent_id: Some("seller"),
                output: request.output,
                verified_at: TIME,
                detail,
            };
            let mut response = Response::new(subject, &request.requirements, &report);
            let mut text = Vec::new();
            signer().sign(&mut response, &mut text).unwrap();
            receipts.push(String::from_utf8(text).unwrap());
        }
        let mut tally = Tally::default();
        tally.add(NOW - 1, Verdict::Pass);
        tally.add(NOW - 2, Verdict::Fail);
        let score = ScoreResponse::signed("seller", &tally, TIME, &signer()).unwrap();
        receipts.push(serde_json::to_string(&score).unwrap());
        receipts
    })
}

/// Checks a receipt by the key of this program.
fn checked(receipt: Value<'_>, about: About<'_>) -> Checked {
    static PUBLIC: OnceLock<VerifyingKey> = OnceLock::new();
    let key = PUBLIC.get_or_init(|| signing_key().verifying_key());
    let source = KeySource::Given { key, key_version: None };
    check_by(receipt, source, &[], about, !matches!(about, About::Nothing), &Required::default())
}

fn check_by(
    receipt: Value<'_>,
    key: KeySource<'_>,
    issuers: &[Issuer],
    about: About<'_>,
    recheck: bool,
    required: &Required,
) -> Checked {
    const WORDING: Wording = Wording {
        agent_card: "card",
        public_key: "key",
        issuer: "issuer",
        future: "wait",
        output: "output",
        schema: "schema",
        rules: "rules",
        request: "request",
    };
    let terms = Terms { key, issuers, now: NOW, about, recheck, required, wording: &WORDING };
    let checked = check(receipt, &terms);
    assert_eq!(checked.verified.is_some(), checked.verdict == ReceiptVerdict::Valid);
    checked
}

/// Nobody without the key makes a valid receipt. The bytes are one, or edits of a genuine one: the
/// first says of which, then four for each edit.
pub(crate) fn receipt(data: &[u8]) {
    if data.first() == Some(&b'{') {
        return forge(data);
    }
    let [which, edits @ ..] = data else { return };
    let genuine = &receipts()[usize::from(*which) % receipts().len()];
    let mut text = genuine.clone().into_bytes();
    for edit in edits.chunks_exact(4).take(16) {
        let at = usize::from(u16::from_le_bytes([edit[0], edit[1]])) % text.len().max(1);
        let byte = edit[3];
        match edit[2] % 4 {
            _ if text.is_empty() => text.push(byte),
            0 => text[at] = byte,
            1 => text.insert(at, byte),
            2 => drop(text.remove(at)),
            _ => text[at] ^= byte,
        }
    }
    forge(&text);
}

fn forge(text: &[u8]) {
    let Ok(document) = Document::parse(text) else { return };
    let checked = checked(document.root(), About::Nothing);
    if checked.verdict != ReceiptVerdict::Valid {
        return;
    }
    // What nobody signed is named, and nothing else differs from a receipt that was signed.
    let mut value: serde_json::Value = serde_json::from_slice(text).unwrap();
    let attestation = value["attestation"].as_object_mut().unwrap();
    for name in &checked.unsigned {
        assert!(attestation.remove(name).is_some());
    }
    let signed = value.to_string();
    let signed = Document::parse(signed.as_bytes()).unwrap();
    let known = receipts().iter().any(|receipt| {
        let receipt = Document::parse(receipt.as_bytes()).unwrap();
        jcs::to_vec(receipt.root()) == jcs::to_vec(signed.root())
    });
    assert!(known, "forged: {value}");
}

/// A card, or a document with a receipt and what it is to be checked by; and URLs.
pub(crate) fn agent_card(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        let host = host_of(text);
        if let Some(host) = &host {
            assert!(Issuer::parse(host).is_ok(), "{host} is no issuer");
        }
        if Issuer::parse(text).is_ok() && text.contains("://") {
            assert!(host.is_some());
        }
    }
    let parsed = agent_card::parse(data);
    let Ok(document) = Document::parse(data) else {
        assert!(parsed.is_err());
        return;
    };
    let root = document.root();
    let card = AgentCard::read(root);
    assert_eq!(parsed.ok(), card.clone().ok());
    if let Ok(card) = card {
        for version in ["", "k1", "v1-2026-09c"] {
            if let Selected::Key(key) = card.select(version) {
                assert_eq!(VerifyingKey::from_base64(&key.to_base64()).as_ref(), Ok(key));
            }
        }
    }
    match ReceiptRequest::parse(root) {
        Ok(request) => {
            let key = match &request.key {
                GivenKey::None => KeySource::BuiltIn { otherwise: "none was given" },
                GivenKey::Card(card) => KeySource::Card {
                    card,
                    origin: agent_output_verifier::check_receipt::CardOrigin::User { url: None },
                },
                GivenKey::Key { key, key_version } => {
                    KeySource::Given { key, key_version: *key_version }
                }
            };
            let about = request.request.map_or(About::Nothing, About::Request);
            check_by(
                request.receipt,
                key,
                &request.issuers,
                about,
                request.recheck,
                &request.required,
            );
        }
        Err(invalid) => assert!(!invalid.problems.is_empty()),
    }
}

/// A key file or a PEM key is read, written and read again as the same; errors tell no secret.
pub(crate) fn key(data: &[u8]) {
    for version in [None, Some("k1")] {
        match KeyFile::parse(data, version) {
            Ok(file) => {
                let written = file.to_json();
                let again = KeyFile::parse(written.as_bytes(), None).unwrap();
                assert_eq!(again.public_keys(), file.public_keys());
                assert_eq!(again.issuer_name, file.issuer_name);
                assert_eq!(again.public_key_url, file.public_key_url);
                assert_eq!(again.to_json(), written);
                let signature = decode_base64(&file.signing_key().sign_base64(b"message")).unwrap();
                let public = file.signing_key().verifying_key();
                assert!(public.verify(b"message", &signature.try_into().unwrap()));
                let taken = file.key_version().to_owned();
                let seed = || zeroize::Zeroizing::new([9; 32]);
                assert!(file.rotated(seed(), taken.clone()).is_err());
                let rotated = again.rotated(seed(), "another".to_owned());
                if let Ok(rotated) = rotated {
                    assert_eq!(rotated.public_keys()[1].key_version, taken);
                }
            }
            Err(error) => {
                let told = format!("{error} {error:?} {}", error.fix());
                let document = Document::parse(data).ok();
                let seed = document.as_ref().and_then(|document| document.root().get("seed"));
                if let Some(seed) = seed.and_then(Value::as_str).filter(|seed| seed.len() > 20) {
                    assert!(!told.contains(seed), "{told}");
                }
            }
        }
    }
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(bytes) = decode_base64(text) {
        use base64::Engine as _;
        assert_eq!(base64::engine::general_purpose::STANDARD.encode(bytes), text);
    }
    if let Ok(key) = VerifyingKey::from_base64(text) {
        assert_eq!(key.to_base64(), text);
    }
}

/// A pattern on the first line against the text of the others.
pub(crate) fn pattern(data: &[u8]) {
    let Ok(both) = std::str::from_utf8(data) else { return };
    let (pattern, text) = both.split_once('\n').unwrap_or((both, ""));
    let written = json_string(pattern);
    let (plain, negated) =
        (format!(r#"{{"pattern":{written}}}"#), format!(r#"{{"not":{{"pattern":{written}}}}}"#));
    let format = r#"{"format":"regex"}"#;
    let documents =
        [&plain, &negated, format].map(|text| Document::parse(text.as_bytes()).unwrap());
    let [plain, negated, format] =
        documents.each_ref().map(|document| Schema::compile(document.root()));
    assert_eq!(plain.is_ok(), negated.is_ok());
    let (format, as_output) = (format.unwrap(), Document::parse(written.as_bytes()).unwrap());
    let (Ok(plain), Ok(negated)) = (plain, negated) else { return };
    // What compiles is an expression; the contrary is untrue of those beyond the size limit.
    assert!(format.is_valid(as_output.root()), "{pattern} compiles, but is no regex");
    let instance = json_string(text);
    let instance = Document::parse(instance.as_bytes()).unwrap();
    let (matches, differs) = (plain.is_valid(instance.root()), negated.is_valid(instance.root()));
    assert!(!(matches && differs));
    // Where both dialects mean the same and no budget runs out, another engine agrees.
    let common = pattern.len() < 100
        && text.len() < 100
        && pattern.chars().all(|c| "abcxyz019 -_/@:.|*+?()^$".contains(c))
        && text.chars().all(|c| matches!(c, ' '..='~'))
        && !pattern.contains("(?");
    if common && let Ok(theirs) = regex::Regex::new(pattern) {
        assert_eq!((matches, differs), (theirs.is_match(text), !theirs.is_match(text)));
    }
}

/// Whether a value has a format in a draft. Each schema is compiled once and kept.
fn is_format(name: &'static str, draft: Draft, instance: Value<'_>) -> bool {
    type Kept = HashMap<(&'static str, &'static str), &'static Schema<'static>>;
    static SCHEMAS: LazyLock<Mutex<Kept>> = LazyLock::new(Mutex::default);
    let compile = || {
        let text = format!(r#"{{"$schema":"{}","format":"{name}"}}"#, draft.uri());
        let document = Document::parse(text.leak().as_bytes()).unwrap();
        &*Box::leak(Box::new(Schema::compile(Box::leak(Box::new(document)).root()).unwrap()))
    };
    let schema = *SCHEMAS.lock().unwrap().entry((name, draft.uri())).or_insert_with(compile);
    schema.is_valid(instance)
}

/// Text against every format, dates, and what the content checks say of it.
pub(crate) fn formats(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let instance = json_string(text);
    let instance = Document::parse(instance.as_bytes()).unwrap();
    let is = |name| is_format(name, Draft::DEFAULT, instance.root());
    // What has the narrower format has the wider one.
    for (narrow, wide) in [
        ("uri", "uri-reference"),
        ("uri", "iri"),
        ("uri-reference", "iri-reference"),
        ("iri", "iri-reference"),
        ("email", "idn-email"),
        ("hostname", "idn-hostname"),
    ] {
        // A host name may have encoded labels that encode nothing which IDNA allows.
        let encoded = wide.starts_with("idn-") && text.to_ascii_lowercase().contains("xn--");
        assert!(encoded || !is(narrow) || is(wide), "{narrow} {wide}");
    }
    assert_eq!(is("ipv4"), text.parse::<std::net::Ipv4Addr>().is_ok(), "ipv4");
    assert_eq!(is("ipv6"), text.parse::<std::net::Ipv6Addr>().is_ok(), "ipv6");
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let parts: Vec<_> = text.split('-').collect();
    let lengths: Vec<_> = parts.iter().map(|part| part.len()).collect();
    let uuid = lengths == [8, 4, 4, 4, 12] && parts.into_iter().all(digits);
    assert_eq!(is("uuid"), uuid, "uuid");
    for name in ["duration", "json-pointer", "relative-json-pointer", "uri-template", "regex"] {
        is(name);
    }
    for draft in Draft::ALL {
        is_format("date-time", draft, instance.root());
        is_format("time", draft, instance.root());
        is_format("hostname", draft, instance.root());
    }
    let instant = parse_instant(text);
    // The format lets a leap second be at the end of any day, an instant of a month only.
    let leap = text.contains(":60");
    assert!(leap || !(is("date") || is("date-time")) || instant.is_some(), "no instant");
    if let Some(instant) = &instant
        && let Some(micros) = instant.unix_micros()
        // Written with more than four digits, a year is not read.
        && instant.unix_seconds() < 253_402_300_800
        && micros >= -62_167_219_200_000_000
    {
        let written = format_utc_micros(micros);
        let again = parse_instant(&written).unwrap();
        assert_eq!((again.unix_micros(), instant >= &again), (Some(micros), true), "{written}");
    }
    for role in [TextRole::Value, TextRole::Name] {
        let checks = content::examine(text, role);
        assert!(checks.iter().all(|check| !content::describe(text, check).is_empty()));
    }
    assert!(shortened(text).chars().count() <= text.chars().count().min(201) + 20);
    assert!(!escaped(text).chars().any(char::is_control) && !quoted(text).is_empty());
    if let Some(digest) = Digest::parse(text) {
        assert_eq!(digest.to_string(), text);
    }
}

/// Samples on a line each: the template that is inferred rejects none of them.
pub(crate) fn template(data: &[u8]) {
    let documents: Vec<_> = data
        .split(|byte| *byte == b'\n')
        .take(20)
        .filter_map(|line| Document::parse(line).ok())
        .collect();
    let mut samples: Vec<_> = documents.iter().map(Document::root).collect();
    let inferred = infer(&samples);
    let written = Document::parse(inferred.text.as_bytes()).unwrap();
    let supplied = read_template(written.root()).unwrap();
    let requirements = Requirements::compile(supplied).unwrap();
    for sample in &samples {
        // A pattern or a union over a large sample may be too much for the budget, never false.
        if let Some(report) = judge(&requirements, *sample) {
            let errors: Vec<_> = report.errors().map(|error| report.message(error)).collect();
            assert_eq!(report.verdict, Verdict::Pass, "{errors:?} by {}", inferred.text);
        }
    }
    samples.reverse();
    assert_eq!(infer(&samples), inferred);
}
