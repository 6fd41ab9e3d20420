//! A receipt to be checked as one document, with all that it is to be checked by.

use super::{Issuer, Required, StepName};
use crate::agent_card::AgentCard;
use crate::json::Value;
use crate::key::VerifyingKey;
use crate::request::{Fields, InvalidRequest, Problems, article};

/// The fields of such a document.
const FIELDS: [&str; 8] = [
    "receipt",
    "request",
    "agent_card",
    "public_key",
    "key_version",
    "issuers",
    "require",
    "recheck",
];

/// A receipt, and the request that it comes with where both are in one document, as `attest --pair`
/// writes them.
pub fn pair(value: Value<'_>) -> (Value<'_>, Option<Value<'_>>) {
    match (value.get("receipt"), value.get("request")) {
        (Some(receipt), Some(request)) if value.get("attestation").is_none() => {
            (receipt, Some(request))
        }
        _ => (value, None),
    }
}

/// Whose key it is, by the user's word.
#[derive(Clone, Debug)]
pub enum GivenKey<'d> {
    /// Nothing was said of it.
    None,
    /// That of this card
    Card(AgentCard),
    /// This one
    Key {
        /// The key
        key: VerifyingKey,
        /// The only version that it is for
        key_version: Option<&'d str>,
    },
}

/// A receipt with what it is to be checked by.
#[derive(Clone, Debug)]
pub struct ReceiptRequest<'d> {
    /// The receipt; where it came as a pair, without its request
    pub receipt: Value<'d>,
    /// The request that it is about
    pub request: Option<Value<'d>>,
    /// Whose key it is
    pub key: GivenKey<'d>,
    /// The issuers that are accepted by name
    pub issuers: Vec<Issuer>,
    /// What must have passed beside what is needed
    pub required: Required,
    /// Whether to make the checks again
    pub recheck: bool,
}

impl<'d> ReceiptRequest<'d> {
    /// Reads the document.
    ///
    /// # Errors
    ///
    /// [`InvalidRequest`] with all that is wrong. What is wrong with the receipt itself is for the
    /// check to say.
    pub fn parse(document: Value<'d>) -> Result<ReceiptRequest<'d>, InvalidRequest> {
        let mut problems = Problems::default();
        let read = read(document, &mut problems);
        problems.settle(read)
    }
}

fn read<'d>(document: Value<'d>, problems: &mut Problems) -> Option<ReceiptRequest<'d>> {
    let fields = problems.fields(document, "", &FIELDS);
    if !document.is_object() {
        return None;
    }
    let (receipt, paired) = object(fields, "receipt", problems).map(pair).unzip();
    if fields.optional("receipt").is_none() {
        let fix = "Put the receipt there: the whole answer of the verifier.";
        problems.add("receipt", "is missing", fix, None);
    }
    Some(ReceiptRequest {
        request: object(fields, "request", problems).or(paired.flatten()),
        key: key(fields, problems),
        issuers: texts(fields, "issuers", problems, |text| {
            Issuer::parse(text).map_err(|_| {
                let problem = "is neither a host nor a URL that begins with https://";
                (problem, "Write a host such as verify.example.com.".to_owned())
            })
        }),
        required: required(fields, problems),
        recheck: problems.flag(fields.optional("recheck"), "recheck"),
        receipt: receipt?,
    })
}

fn required(fields: Fields<'_>, problems: &mut Problems) -> Required {
    let mut required = Required::default();
    texts(fields, "require", problems, |name| {
        required.add(name).map_err(|error| ("is no step", error.fix()))
    });
    required
}

/// A field that holds an object, where it is given.
fn object<'d>(fields: Fields<'d>, field: &str, problems: &mut Problems) -> Option<Value<'d>> {
    let value = fields.optional(field)?;
    if value.is_object() {
        return Some(value);
    }
    let fix = "Write it as a JSON object, not as a string with JSON in it.";
    problems.add(field, format!("is {}, not an object", article(value)), fix, Some(value));
    None
}

fn text<'d>(fields: Fields<'d>, field: &str, problems: &mut Problems) -> Option<&'d str> {
    let value = fields.optional(field)?;
    if value.as_str().is_none() {
        let problem = format!("is {}, not a string", article(value));
        problems.add(field, problem, "Write a string.", Some(value));
    }
    value.as_str()
}

/// A list of strings, each read by `parse`, which tells what is wrong and the way out.
fn texts<'d, T>(
    fields: Fields<'d>,
    field: &str,
    problems: &mut Problems,
    mut parse: impl FnMut(&'d str) -> Result<T, (&'static str, String)>,
) -> Vec<T> {
    let Some(list) = fields.optional(field) else { return Vec::new() };
    if !list.is_array() {
        let fix = "Write an array of strings.";
        problems.add(field, format!("is {}, not an array", article(list)), fix, Some(list));
    }
    let mut read = Vec::new();
    for (place, element) in list.elements().enumerate() {
        let field = format!("{field}[{place}]");
        match element.as_str().map(&mut parse) {
            Some(Ok(value)) => read.push(value),
            Some(Err((problem, fix))) => problems.add(field, problem, fix, Some(element)),
            None => {
                let problem = format!("is {}, not a string", article(element));
                problems.add(field, problem, "Write a string.", Some(element));
            }
        }
    }
    read
}

fn key<'d>(fields: Fields<'d>, problems: &mut Problems) -> GivenKey<'d> {
    let card = object(fields, "agent_card", problems);
    let public_key = text(fields, "public_key", problems);
    let key_version = text(fields, "key_version", problems);
    if card.is_some() && public_key.is_some() {
        let fix = "Give the card or the key, not both.";
        problems.add(
            "public_key",
            "is given beside agent_card",
            fix,
            fields.optional("public_key"),
        );
    }
    if key_version.is_some() && public_key.is_none() {
        let fix = "Give the key with it, or leave it out.";
        let at = fields.optional("key_version");
        problems.add("key_version", "is given without public_key", fix, at);
    }
    if let Some(card) = card {
        return match AgentCard::read(card) {
            Ok(card) => GivenKey::Card(card),
            Err(error) => {
                let fix = "Give the issuer's agent-card, such as its /.well-known/agent-card.json.";
                problems.add("agent_card", format!("is {error}"), fix, Some(card));
                GivenKey::None
            }
        };
    }
    match public_key.map(VerifyingKey::from_base64) {
        None => GivenKey::None,
        Some(Ok(key)) => GivenKey::Key { key, key_version },
        Some(Err(error)) => {
            let fix = "Give the 32 bytes of an Ed25519 public key in base64.";
            let problem = format!("cannot be used: {error}");
            problems.add("public_key", problem, fix, fields.optional("public_key"));
            GivenKey::None
        }
    }
}

impl Required {
    /// Adds a step by name; `all` for every one but the recheck.
    ///
    /// # Errors
    ///
    /// [`NotAStep`] for other names.
    pub fn add(&mut self, name: &str) -> Result<(), NotAStep> {
        match (name, StepName::named(name)) {
            ("all", _) => self.all = true,
            (_, Some(step)) => self.steps.push(step),
            (_, None) => return Err(NotAStep),
        }
        Ok(())
    }
}

/// A name that no step has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotAStep;

impl NotAStep {
    /// The names that there are.
    pub fn fix(self) -> String {
        format!("The steps are {}, and all.", StepName::ALL.map(StepName::as_str).join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Document;

    fn problems(text: &str) -> Vec<(String, String)> {
        let document = Document::parse(text.as_bytes()).unwrap();
        let Err(invalid) = ReceiptRequest::parse(document.root()) else { return Vec::new() };
        invalid.problems.into_iter().map(|problem| (problem.field, problem.problem)).collect()
    }

    #[test]
    fn everything_is_optional_but_the_receipt() {
        assert!(problems(r#"{"receipt": {}}"#).is_empty());
        let all = r#"{"receipt": {}, "request": {}, "public_key":
            "d2IHH0/Xduci/5J8IewYmauUvgqf+gFIeCEXDwjHUhw=", "key_version": "v1", "issuers":
            ["verify.example"], "require": ["all", "recheck"], "recheck": true, "agent_card": null}"#;
        let document = Document::parse(all.as_bytes()).unwrap();
        let read = ReceiptRequest::parse(document.root()).unwrap();
        assert!(matches!(read.key, GivenKey::Key { key_version: Some("v1"), .. }));
        assert!(read.recheck && read.required.all && read.issuers.len() == 1);
        assert_eq!(read.required.steps, [StepName::Recheck]);
    }

    #[test]
    fn a_pair_is_taken_apart_and_another_request_goes_before_its_own() {
        let pair = r#"{"receipt": {"a": 1}, "request": {"b": 2}}"#;
        for (text, request) in [
            (format!(r#"{{"receipt": {pair}}}"#), "b"),
            (format!(r#"{{"receipt": {pair}, "request": {{"c": 3}}}}"#), "c"),
        ] {
            let document = Document::parse(text.as_bytes()).unwrap();
            let read = ReceiptRequest::parse(document.root()).unwrap();
            assert!(read.receipt.get("a").is_some());
            assert!(read.request.unwrap().get(request).is_some());
        }
        let receipt = r#"{"receipt": {"receipt": 1, "request": 2, "attestation": 3}}"#;
        let document = Document::parse(receipt.as_bytes()).unwrap();
        let read = ReceiptRequest::parse(document.root()).unwrap();
        assert!(read.receipt.get("attestation").is_some() && read.request.is_none());
    }

    #[test]
    fn all_that_is_wrong_is_told_at_once() {
        let text = r#"{"receipt": "{}", "request": [], "agent_card": {}, "public_key": "AAAA",
            "issuers": ["a b", 7], "require": ["nonsense"], "recheck": "yes", "now": 1}"#;
        let found = problems(text);
        let fields: Vec<&str> = found.iter().map(|(field, _)| field.as_str()).collect();
        assert_eq!(
            fields,
            [
                "now",
                "receipt",
                "request",
                "public_key",
                "agent_card",
                "issuers[0]",
                "issuers[1]",
                "require[0]",
                "recheck",
            ]
        );
        assert_eq!(found[1].1, "is a string, not an object");
        assert_eq!(problems("[]"), [("$".to_owned(), "is an array, not an object".to_owned())]);
        assert_eq!(problems("{}")[0], ("receipt".to_owned(), "is missing".to_owned()));
        let version = r#"{"receipt": {}, "key_version": "v1", "public_key": null}"#;
        assert_eq!(problems(version)[0].0, "key_version");
        let weak =
            r#"{"receipt": {}, "public_key": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}"#;
        assert!(problems(weak)[0].1.contains("weak"), "{:?}", problems(weak));
    }
}
