//! Inferred templates never reject a sample, whatever it is, and say the same whatever the order.

use agent_output_verifier::json::Document;
use agent_output_verifier::report::Verdict;
use agent_output_verifier::request::{Requirements, read_template};
use agent_output_verifier::template::infer;
use agent_output_verifier::verify::verify;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};

/// Names that propose rules, bounds, formats and maps; and some that are hard to write as paths.
const NAMES: [&str; 28] = [
    "id",
    "order_id",
    "customer_id",
    "parent_id",
    "orders",
    "customers",
    "lines",
    "nodes",
    "edges",
    "from",
    "to",
    "total",
    "subtotal",
    "line_total",
    "amount",
    "qty",
    "price",
    "start_date",
    "end_date",
    "min",
    "max",
    "status",
    "a.b",
    "[0]",
    "$",
    "",
    "2024-01-01",
    "17",
];

/// A value as text: few different ones, so that coincidences abound.
fn value() -> impl Strategy<Value = String> {
    let leaves = [
        "null",
        "true",
        "0",
        "1",
        "2",
        "3",
        "10",
        "-1",
        "0.5",
        "1.0",
        "1e300",
        "123456789012345678901234567890",
        "\"\"",
        "\"a\"",
        "\"open\"",
        "\"paid\"",
        "\"2024-01-01\"",
        "\"2024-03-01T10:00:00Z\"",
        "\"https://a.example/\"",
        "\"a@b.example\"",
        "\"\\u0000\"",
        "[]",
        "{}",
    ];
    let leaf = select(leaves.to_vec()).prop_map(str::to_owned);
    leaf.prop_recursive(5, 60, 6, |inner| {
        let row = || {
            prop_oneof![3 => select(&["1", "2", "10", "12"][..]).prop_map(str::to_owned),
                                 1 => inner.clone()]
        };
        let array = vec(inner.clone(), 0..5).prop_map(|list| format!("[{}]", list.join(",")));
        // Objects with the same names, as arrays mostly have them.
        let table =
            (vec(select(&NAMES[..]), 1..4), vec(vec(row(), 4), 0..5)).prop_map(|(names, rows)| {
                let rows = rows.into_iter().map(|row| object(names.iter().copied().zip(row)));
                format!("[{}]", rows.collect::<Vec<_>>().join(","))
            });
        let members = vec((select(&NAMES[..]), inner.clone()), 0..8).prop_map(object);
        prop_oneof![1 => array, 2 => table, 4 => members]
    })
}

/// An order as agents deliver them, with parts that add up, refer and follow each other, mostly.
fn order() -> impl Strategy<Value = String> {
    let small = || 0..6u8;
    let spoilt = || prop_oneof![4 => Just(0u8), 1 => 1..3u8];
    let lines = vec((small(), 1..4u8), 0..4);
    let days = (1..20u8, 1..20u8);
    (lines, vec(small(), 0..5), days, vec(spoilt(), 6)).prop_map(|(lines, ids, days, spoilt)| {
        let total: u32 = lines.iter().map(|&(amount, _)| u32::from(amount) * 5).sum();
        let total = total + u32::from(spoilt[0]);
        let amount = |amount: u8| match (amount, spoilt[1]) {
            (0, 1) => "null".to_owned(),
            (amount, _) => (u32::from(amount) * 5).to_string(),
        };
        let lines = lines.iter().enumerate().map(|(id, &(five, qty))| {
            let customer = ids.first().copied().unwrap_or_default() + spoilt[2];
            let members = [
                ("id", (id + 1).to_string()),
                ("amount", amount(five)),
                ("qty", qty.to_string()),
                ("customer_id", customer.to_string()),
            ];
            object(members.into_iter().take(if spoilt[3] == 2 { 3 } else { 4 }))
        });
        let customers = ids.iter().map(|id| object([("id", id.to_string())]));
        let [start, end] = [days.0, days.0.max(days.1) - spoilt[4].min(days.0)];
        let members = [
            ("lines", format!("[{}]", lines.collect::<Vec<_>>().join(","))),
            ("customers", format!("[{}]", customers.collect::<Vec<_>>().join(","))),
            ("total", total.to_string()),
            ("start_date", format!("\"2024-01-{start:02}\"")),
            ("end_date", format!("\"2024-01-{end:02}\"")),
        ];
        object(members.into_iter().skip(usize::from(spoilt[5] == 1)))
    })
}

/// The first member of each name.
fn object<'n>(members: impl IntoIterator<Item = (&'n str, String)>) -> String {
    let mut seen = Vec::new();
    let mut written = Vec::new();
    for (name, value) in members {
        if !seen.contains(&name) {
            seen.push(name);
            written.push(format!("\"{name}\":{value}"));
        }
    }
    format!("{{{}}}", written.join(","))
}

fn inferred(samples: &[Document<'_>]) -> String {
    infer(&samples.iter().map(Document::root).collect::<Vec<_>>()).text
}

#[test]
fn no_sample_is_rejected_and_their_order_is_irrelevant() {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let config =
        Config { cases: cases.unwrap_or(600), failure_persistence: None, ..Config::default() };
    let mut kinds = std::collections::BTreeMap::<String, usize>::new();
    let seen = std::cell::RefCell::new(&mut kinds);
    TestRunner::new(config)
        .run(&prop_oneof![vec(value(), 1..6), vec(order(), 1..6)], |texts| {
            let samples: Vec<_> =
                texts.iter().map(|text| Document::parse(text.as_bytes()).expect(text)).collect();
            let template = inferred(&samples);
            let document = Document::parse(template.as_bytes()).unwrap();
            let supplied = read_template(document.root()).unwrap();
            prop_assert!(supplied.enforce_rules);
            let requirements = Requirements::compile(supplied).unwrap();
            for sample in &samples {
                let report = verify(&requirements, sample.root()).unwrap();
                let messages: Vec<_> = report.errors().map(|e| report.message(e)).collect();
                prop_assert_eq!(report.verdict, Verdict::Pass, "{:?} by {}", messages, template);
            }
            for rule in requirements.rules() {
                let mut seen = seen.borrow_mut();
                *seen.entry(rule.rule_type().name().to_owned()).or_default() += 1;
            }
            *seen.borrow_mut().entry("bounds".to_owned()).or_default() +=
                requirements.bounds().len();

            let mut reversed = samples;
            reversed.reverse();
            prop_assert_eq!(inferred(&reversed), template);
            Ok(())
        })
        .unwrap();
    // Else nothing was shown of them.
    for kind in ["bounds", "exists_in", "gte", "sum_equals", "unique"] {
        assert!(kinds.get(kind).is_some_and(|&count| count > 0), "no {kind}: {kinds:?}");
    }
}

/// What is inferred from a large sample is no larger than what there is to say.
#[test]
fn a_large_sample_has_a_small_template_and_more_names_than_a_record_has_make_a_map() {
    let rows: Vec<String> = (0..20_000)
        .map(|n| format!(r#"{{"id": {n}, "qty": {}, "by_key": {{"k{n}": 1}}}}"#, n % 7))
        .collect();
    let text = format!("[{}]", rows.join(","));
    let template = inferred(&[Document::parse(text.as_bytes()).unwrap()]);
    assert!(template.len() < 2_000, "{template}");
    assert!(template.contains(r#""field": "[].id""#), "{template}");
    assert!(template.contains(r#""additionalProperties""#), "{template}");
}
