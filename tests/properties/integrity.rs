//! A naive reading of bounds and rules, which shares nothing with the library: paths are followed
//! in a list of steps, sums are of whole thousand-millionths.
//!
//! It knows what the random rules have: numbers of few decimals, and no dates.

use serde_json::Value;

/// How many of the bounds and rules hold.
pub(crate) fn holding(request: &Value) -> u64 {
    let output = &request["submitted_output"];
    let bounds = request["bounds"].as_object().unwrap();
    let bounds = bounds.iter().filter(|(path, bound)| bound_holds(path, bound, output));
    let rules = request["rules"].as_array().unwrap().iter();
    (bounds.count() + rules.filter(|rule| rule_holds(rule, output)).count()) as u64
}

/// Whether a string of white space or nothing is anywhere in a value.
pub(crate) fn has_blank(value: &Value) -> bool {
    match value {
        Value::String(text) => text.trim().is_empty(),
        Value::Array(elements) => elements.iter().any(has_blank),
        Value::Object(members) => members.values().any(has_blank),
        _ => false,
    }
}

#[derive(Clone, PartialEq)]
enum Step {
    Member(String),
    Each,
    Element(usize),
}

fn steps(path: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    for part in path.replace('[', ".[").split('.').filter(|part| !part.is_empty()) {
        steps.push(match part.strip_prefix('[').map(|rest| rest.trim_end_matches(']')) {
            None => Step::Member(part.to_owned()),
            Some("") => Step::Each,
            Some(place) => Step::Element(place.parse().unwrap()),
        });
    }
    steps
}

/// What the steps lead to; `None` for what is missing.
fn reach<'v>(steps: &[Step], from: &'v Value) -> Vec<Option<&'v Value>> {
    let Some((first, rest)) = steps.split_first() else { return vec![Some(from)] };
    let next = match (first, from) {
        (Step::Each, Value::Array(elements)) => {
            return elements.iter().flat_map(|element| reach(rest, element)).collect();
        }
        (Step::Member(name), Value::Object(members)) => members.get(name),
        (Step::Element(place), Value::Array(elements)) => elements.get(*place),
        _ => None,
    };
    next.map_or(vec![None], |next| reach(rest, next))
}

fn number(value: &Value) -> Option<i128> {
    value.as_f64().map(|number| (number * 1e9).round() as i128)
}

fn bound_holds(path: &str, bound: &Value, output: &Value) -> bool {
    let limits = number(&bound["min"]).unwrap()..=number(&bound["max"]).unwrap();
    let within = |value: &Value| number(value).is_some_and(|number| limits.contains(&number));
    reach(&steps(path), output).into_iter().all(|value| value.is_some_and(within))
}

/// What is missing or null.
fn is_absent(value: Option<&Value>) -> bool {
    value.is_none_or(Value::is_null)
}

fn rule_holds(rule: &Value, output: &Value) -> bool {
    let field = steps(rule["field"].as_str().unwrap());
    let passes_over = |value: Option<&Value>| rule["if_present"] == true && is_absent(value);
    let values = reach(&field, output);
    let wanted = values.iter().copied().filter(|value| !passes_over(*value));
    match rule["type"].as_str().unwrap() {
        "unique" => {
            let wanted: Option<Vec<&Value>> = wanted.collect();
            wanted.is_some_and(|wanted| {
                let mut rest = wanted.iter().enumerate();
                rest.all(|(at, a)| !wanted[..at].iter().any(|b| super::same(a, b)))
            })
        }
        "exists_in" => {
            let among: Vec<Option<&Value>> = match rule["in_field"].as_str() {
                Some(path) => reach(&steps(path), output),
                None => rule["values"].as_array().unwrap().iter().map(Some).collect(),
            };
            let none_there = !among.is_empty() && among.iter().all(|value| is_absent(*value));
            let is_there = |value: &Value| {
                among.iter().flatten().any(|candidate| super::same(candidate, value))
            };
            (rule.get("in_field").is_some() && rule["if_present"] == true && none_there)
                || wanted.into_iter().all(|value| value.is_some_and(is_there))
        }
        kind => {
            let tolerance = number(&rule["tolerance"]).unwrap();
            let mut groups = groups(rule, &field, output).into_iter();
            groups.all(|(values, target)| match kind {
                "sum_equals" => sum_holds(&values, target, tolerance, passes_over),
                _ => order_holds(&values, target, tolerance, passes_over, kind == "gte"),
            })
        }
    }
}

type Group<'v> = (Vec<Option<&'v Value>>, Option<&'v Value>);

/// The values that belong to each target.
fn groups<'v>(rule: &'v Value, field: &[Step], output: &'v Value) -> Vec<Group<'v>> {
    let literal = rule.get("equals").or(rule.get("value"));
    if literal.is_some() {
        return vec![(reach(field, output), literal)];
    }
    let target = rule.get("equals_field").or(rule.get("other_field")).unwrap();
    let target = steps(target.as_str().unwrap());
    let shared = target.iter().rposition(|step| *step == Step::Each).map_or(0, |each| each + 1);
    let roots = reach(&target[..shared], output).into_iter();
    roots
        .map(|root| match root {
            Some(root) => (reach(&field[shared..], root), reach(&target[shared..], root)[0]),
            None => (vec![None], None),
        })
        .collect()
}

fn sum_holds(
    values: &[Option<&Value>],
    target: Option<&Value>,
    tolerance: i128,
    passes_over: impl Fn(Option<&Value>) -> bool,
) -> bool {
    let (mut sum, mut addends) = (0, 0);
    for value in values.iter().copied().filter(|value| !passes_over(*value)) {
        let Some(number) = value.and_then(number) else { return false };
        sum += number;
        addends += 1;
    }
    if passes_over(target) {
        return true;
    }
    let Some(target) = target.and_then(number) else { return false };
    (addends == 0 && !values.is_empty()) || (sum - target).abs() <= tolerance
}

fn order_holds(
    values: &[Option<&Value>],
    target: Option<&Value>,
    tolerance: i128,
    passes_over: impl Fn(Option<&Value>) -> bool,
    at_least: bool,
) -> bool {
    values.iter().copied().filter(|value| !passes_over(*value)).all(|value| {
        if passes_over(target) {
            return true;
        }
        let (Some(value), Some(limit)) = (value.and_then(number), target.and_then(number)) else {
            return false;
        };
        if at_least { value + tolerance >= limit } else { value - tolerance <= limit }
    })
}
