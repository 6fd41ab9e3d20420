//! Responses without lists of findings, written straight: all in the compact shape, and in the full
//! one those where nothing was found. Most responses are, and serializing them member by member
//! would be a fifth of what a line of a batch takes.

use super::{Full, NextAction, Response, ScoreOut};
use crate::attest::VerifySection;
use crate::digest::Digest;
use crate::jcs::write_string;

/// A response that has no attestation and no findings to list.
pub(crate) struct Plain<'r> {
    response: &'r Response<'r>,
    /// The three scores of the full shape. Everything passed, so their ratio is 1.
    scores: Option<[&'r ScoreOut; 3]>,
}

impl Response<'_> {
    /// The response as a plain one, where it is.
    pub(crate) fn plain(&self) -> Option<Plain<'_>> {
        let scores = match &self.full {
            Some(full) => Some(full.scores_without_findings()?),
            None => None,
        };
        self.attestation.is_none().then_some(Plain { response: self, scores })
    }
}

impl Full<'_> {
    fn scores_without_findings(&self) -> Option<[&ScoreOut; 3]> {
        let found = self.errors_total + self.flags_total + self.hints_total;
        let scores = [&self.schema_compliance, &self.integrity_checks, &self.overall];
        (found == 0 && scores.iter().all(|score| score.passed == score.total)).then_some(scores)
    }
}

impl Plain<'_> {
    /// Appends the response as it is on the wire.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let response = self.response;
        put(out, r#"{"summary":{"result":""#);
        put(out, response.result);
        put(out, r#"","blocking_checks":"#);
        put_blocking_checks(out, &response.summary.blocking_checks);
        put(out, r#"},"next_actions":"#);
        put_actions(out, response.next_actions, |out, action| {
            put_optional(out, r#","using":""#, action.using);
            put_optional(out, r#","for":""#, action.whom);
        });
        put(out, r#","result":""#);
        put(out, response.result);
        put(out, r#"","verification_id":"#);
        write_string(response.verification_id, out);
        put(out, r#","task_id":"#);
        write_string(response.task_id, out);
        put(out, r#","agent_id":"#);
        put_text_or_null(out, response.agent_id);
        put_digest(out, r#","output_hash":""#, Some(&response.output_hash));
        put_digest(out, r#","schema_hash":""#, Some(&response.schema_hash));
        put_digest(out, r#","rules_hash":""#, Some(&response.rules_hash));
        put_digest(out, r#","request_hash":""#, response.request_hash.as_ref());
        put(out, r#","verified_at":"#);
        write_string(response.verified_at, out);
        put(out, r#","verifier_version":""#);
        put(out, response.verifier_version);
        put(out, r#"","enforce_rules":"#);
        put_bool(out, response.enforce_rules);
        put(out, r#","strict_content_check":"#);
        put_bool(out, response.strict_content_check);
        if let Some([schema, integrity, overall]) = self.scores {
            put(out, r#","errors":[],"errors_total":0,"errors_omitted":0"#);
            put(out, r#","errors_detail":[],"errors_detail_total":0,"errors_detail_omitted":0"#);
            put(out, r#","flags":[],"flags_total":0,"flags_omitted":0"#);
            put(out, r#","hints":[],"hints_total":0,"hints_omitted":0"#);
            let score = |out: &mut Vec<u8>, name: &str, score: &ScoreOut| {
                put(out, name);
                put(out, r#"":{"ratio":1.0,"passed":"#);
                put_count(out, score.passed);
                put(out, r#","total":"#);
                put_count(out, score.total);
                put(out, "}");
            };
            score(out, r#","schema_compliance"#, schema);
            score(out, r#","integrity_checks"#, integrity);
            score(out, r#","overall"#, overall);
        }
        if let Some(verify) = &response.verify {
            put(out, r#","verify":{"public_key_url":"#);
            put_text_or_null(out, verify.public_key_url);
            put(out, r#","key_version":"#);
            write_string(verify.key_version, out);
            put(out, r#","canonicalization":""#);
            put(out, verify.canonicalization);
            put(out, r#"","hash_algorithm":""#);
            put(out, verify.hash_algorithm);
            put(out, r#"","service":"#);
            write_string(verify.service, out);
            put(out, r#","mcp":"#);
            put_text_or_null(out, verify.mcp);
            put(out, "}");
        }
        put(out, "}");
    }

    /// Appends the canonical form (RFC 8785): the same with the members of every object in order,
    /// and the ratios as ECMAScript prints them. Texts are escaped in the same way in both.
    pub(crate) fn write_canonical(&self, out: &mut Vec<u8>) {
        let response = self.response;
        put(out, r#"{"agent_id":"#);
        put_text_or_null(out, response.agent_id);
        put(out, r#","enforce_rules":"#);
        put_bool(out, response.enforce_rules);
        if self.scores.is_some() {
            put(out, r#","errors":[],"errors_detail":[],"errors_detail_omitted":0"#);
            put(out, r#","errors_detail_total":0,"errors_omitted":0,"errors_total":0"#);
            put(out, r#","flags":[],"flags_omitted":0,"flags_total":0"#);
            put(out, r#","hints":[],"hints_omitted":0,"hints_total":0"#);
        }
        let score = |out: &mut Vec<u8>, name: &str, score: &ScoreOut| {
            put(out, name);
            put(out, r#"":{"passed":"#);
            put_count(out, score.passed);
            put(out, r#","ratio":1,"total":"#);
            put_count(out, score.total);
            put(out, "}");
        };
        if let Some([_, integrity, _]) = self.scores {
            score(out, r#","integrity_checks"#, integrity);
        }
        put(out, r#","next_actions":"#);
        put_actions(out, response.next_actions, |out, action| {
            put_optional(out, r#","for":""#, action.whom);
            put_optional(out, r#","using":""#, action.using);
        });
        put_digest(out, r#","output_hash":""#, Some(&response.output_hash));
        if let Some([_, _, overall]) = self.scores {
            score(out, r#","overall"#, overall);
        }
        put_digest(out, r#","request_hash":""#, response.request_hash.as_ref());
        put(out, r#","result":""#);
        put(out, response.result);
        put(out, "\"");
        put_digest(out, r#","rules_hash":""#, Some(&response.rules_hash));
        if let Some([schema, _, _]) = self.scores {
            score(out, r#","schema_compliance"#, schema);
        }
        put_digest(out, r#","schema_hash":""#, Some(&response.schema_hash));
        put(out, r#","strict_content_check":"#);
        put_bool(out, response.strict_content_check);
        put(out, r#","summary":{"blocking_checks":"#);
        put_blocking_checks(out, &response.summary.blocking_checks);
        put(out, r#","result":""#);
        put(out, response.result);
        put(out, r#""},"task_id":"#);
        write_string(response.task_id, out);
        put(out, r#","verification_id":"#);
        write_string(response.verification_id, out);
        put(out, r#","verified_at":"#);
        write_string(response.verified_at, out);
        put(out, r#","verifier_version":""#);
        put(out, response.verifier_version);
        put(out, "\"");
        if let Some(verify) = &response.verify {
            put_canonical_verify(out, verify);
        }
        put(out, "}");
    }
}

fn put_canonical_verify(out: &mut Vec<u8>, verify: &VerifySection<'_>) {
    put(out, r#","verify":{"canonicalization":""#);
    put(out, verify.canonicalization);
    put(out, r#"","hash_algorithm":""#);
    put(out, verify.hash_algorithm);
    put(out, r#"","key_version":"#);
    write_string(verify.key_version, out);
    put(out, r#","mcp":"#);
    put_text_or_null(out, verify.mcp);
    put(out, r#","public_key_url":"#);
    put_text_or_null(out, verify.public_key_url);
    put(out, r#","service":"#);
    write_string(verify.service, out);
    put(out, "}");
}

// Names and constant texts need no escapes; texts from outside go through `write_string`.

fn put(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

fn put_bool(out: &mut Vec<u8>, value: bool) {
    put(out, if value { "true" } else { "false" });
}

fn put_text_or_null(out: &mut Vec<u8>, text: Option<&str>) {
    match text {
        Some(text) => write_string(text, out),
        None => put(out, "null"),
    }
}

fn put_optional(out: &mut Vec<u8>, before: &str, constant: Option<&'static str>) {
    if let Some(constant) = constant {
        put(out, before);
        put(out, constant);
        put(out, "\"");
    }
}

fn put_digest(out: &mut Vec<u8>, before: &str, digest: Option<&Digest>) {
    if let Some(digest) = digest {
        put(out, before);
        out.extend_from_slice(digest.hex().as_bytes());
        put(out, "\"");
    }
}

fn put_count(out: &mut Vec<u8>, mut count: u64) {
    let mut digits = [0; 20];
    let mut start = digits.len();
    while start == digits.len() || count > 0 {
        start -= 1;
        digits[start] = b'0' + (count % 10) as u8;
        count /= 10;
    }
    out.extend_from_slice(&digits[start..]);
}

fn put_blocking_checks(out: &mut Vec<u8>, checks: &[&'static str]) {
    put(out, "[");
    for (place, check) in checks.iter().enumerate() {
        put(out, if place == 0 { "\"" } else { ",\"" });
        put(out, check);
        put(out, "\"");
    }
    put(out, "]");
}

/// Writes actions; `rest` writes what comes after the name of each.
fn put_actions(
    out: &mut Vec<u8>,
    actions: &[NextAction],
    rest: impl Fn(&mut Vec<u8>, &NextAction),
) {
    put(out, "[");
    for (place, action) in actions.iter().enumerate() {
        put(out, if place == 0 { r#"{"action":""# } else { r#",{"action":""# });
        put(out, action.action);
        put(out, "\"");
        rest(out, action);
        put(out, "}");
    }
    put(out, "]");
}

#[cfg(test)]
mod tests {
    use super::super::*;
    use crate::jcs;
    use crate::json::Document;
    use crate::request::Request;
    use crate::verify::verify;

    /// A response straight and through serde; `None` where it is not plain.
    fn both_ways(request: &str, texts: [&str; 3], signed: bool) -> Option<()> {
        let [verification_id, task_id, key_version] = texts;
        let document = Document::parse(request.as_bytes()).unwrap();
        let request = Request::parse(document.root()).unwrap();
        let report = verify(&request.requirements, request.output).unwrap();
        let mut all = Some(());
        for (detail, agent_id) in [
            (Detail::Compact, None),
            (Detail::Compact, Some(key_version)),
            (Detail::Full, None),
            (Detail::Full, Some(task_id)),
        ] {
            let subject = Subject {
                verification_id,
                task_id,
                agent_id,
                output: request.output,
                verified_at: "2026-11-29T12:00:00.000000+00:00",
                detail,
            };
            let mut response = Response::new(subject, &request.requirements, &report);
            if signed {
                response.set_verify(VerifySection {
                    public_key_url: agent_id,
                    key_version,
                    canonicalization: crate::attest::CANONICALIZATION,
                    hash_algorithm: "SHA-256",
                    service: task_id,
                    mcp: agent_id,
                });
            }
            let json = serde_json::to_vec(&response).unwrap();
            let mut written = b"before".to_vec();
            response.write(&mut written).unwrap();
            assert_eq!(str::from_utf8(&written[6..]), str::from_utf8(&json));
            let Some(plain) = response.plain() else {
                assert_eq!(detail, Detail::Full);
                all = None;
                continue;
            };
            let mut canonical = Vec::new();
            plain.write_canonical(&mut canonical);
            let document = Document::parse(&json).unwrap();
            let expected = jcs::to_vec(document.root());
            assert_eq!(str::from_utf8(&canonical), str::from_utf8(&expected));
        }
        all
    }

    #[test]
    fn counts_have_all_their_digits() {
        for count in [0, 9, 10, 4321, u64::MAX] {
            let mut out = Vec::new();
            super::put_count(&mut out, count);
            assert_eq!(out, count.to_string().as_bytes());
        }
    }

    #[test]
    fn a_plain_response_is_what_serde_makes_of_it() {
        let every_control: String = (0..=0x1f).map(char::from).collect();
        let awkward = ["\"\\/", "\u{7f}\u{2028}é€😀\u{e000}", every_control.as_str()];
        for texts in [["v", "t", "k"], awkward] {
            for signed in [false, true] {
                let request = |output: &str, more: &str| {
                    format!(
                        r#"{{"task_id": "t", "expected_schema": {{"required": ["a"]}},
                            "submitted_output": {output} {more}}}"#
                    )
                };
                let rules = r#", "enforce_rules": true, "strict_content_check": true, "rules":
                    [{"type": "gte", "field": "a", "value": 1}, {"type": "unique", "field": "b[]"}]"#;
                assert_eq!(both_ways(&request(r#"{"a": 1}"#, ""), texts, signed), Some(()));
                let passes = request(r#"{"a": 1, "b": [1, 2]}"#, rules);
                assert_eq!(both_ways(&passes, texts, signed), Some(()));
                assert_eq!(both_ways(&request("{}", ""), texts, signed), None);
                let fails = request(r#"{"a": 0, "b": [1, 1]}"#, rules);
                assert_eq!(both_ways(&fails, texts, signed), None);
            }
        }
    }
}
