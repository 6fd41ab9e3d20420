//! The JSON Schemas of the tools. What goes in is described as it is read; what comes out, as it is
//! written, with the error that can come in its place: clients check results against it, some of them
//! errors too. Many clients understand only one `type` at a place, so what goes in has one wherever
//! that leaves out nothing but `null`, or `true` for a schema.

use agent_output_verifier::check_receipt::StepName;
use agent_output_verifier::request::MAX_ID;
use agent_output_verifier::rules::RuleType;
use serde_json::{Value, json};

/// What `verify_schema` takes.
pub(in super::super) fn request() -> Value {
    json!({
        "type": "object",
        "required": ["task_id", "expected_schema", "submitted_output"],
        "additionalProperties": false,
        "properties": {
            "task_id": {
                "type": "string", "minLength": 1, "maxLength": MAX_ID,
                "description": "Your own name for this check, such as an order's number"
            },
            "agent_id": {
                "type": "string", "minLength": 1, "maxLength": MAX_ID,
                "description": "The agent whose output it is; the result is recorded for it. An \
                                id that begins with test- is not recorded"
            },
            "expected_schema": {
                "type": "object",
                "description": "The JSON Schema (draft-04 to 2020-12, as $schema says; 2020-12 \
                                without). It must stand alone: a $ref to elsewhere is refused"
            },
            "submitted_output": {
                "type": ["object", "array", "string", "number", "boolean", "null"],
                "description": "The output, as JSON itself and not as a string with JSON in it"
            },
            "rules": {
                "type": "array",
                "items": rule(),
                "description": "Rules between fields. They count for the verdict only if \
                                enforce_rules is true"
            },
            "bounds": {
                "type": "object",
                "additionalProperties": {
                    "type": "object",
                    "additionalProperties": false,
                    "properties": {
                        "min": {"type": ["number", "string"]},
                        "max": {"type": ["number", "string"]},
                        "if_present": {"type": "boolean"}
                    }
                },
                "description": "Ranges by path, both ends included, numbers or ISO 8601 dates: \
                                {\"items[].price\": {\"min\": 0, \"max\": 100}}"
            },
            "enforce_rules": {
                "type": "boolean",
                "description": "Whether rules and bounds can make the result fail. Default: false, \
                                they only inform"
            },
            "strict_content_check": {
                "type": "boolean",
                "description": "Whether content findings (placeholders, damaged text, JSON in \
                                strings) can make the result fail. Default: false, they only inform"
            },
            "detail": {
                "enum": ["full", "compact"],
                "description": "compact leaves out errors, hints, flags and scores. Default: full"
            }
        }
    })
}

fn rule() -> Value {
    let names = RuleType::ALL.map(RuleType::name);
    let path = "A path, such as total, buyer.name or items[].price";
    json!({
        "type": "object",
        "required": ["type", "field"],
        "additionalProperties": false,
        "properties": {
            "type": {"enum": names},
            "field": {"type": "string", "description": path},
            "equals_field": {"type": "string", "description": "sum_equals: the path of the target"},
            "equals": {"type": "number", "description": "sum_equals: the target itself"},
            "other_field": {"type": "string", "description": "gte, lte: the path to compare with"},
            "value": {"type": ["number", "string"], "description": "gte, lte: the number or date to compare with"},
            "in_field": {"type": "string", "description": "exists_in: the path of the allowed values"},
            "values": {"type": "array", "description": "exists_in: the allowed values"},
            "tolerance": {"type": "number", "description": "A difference that is allowed. Default: 1e-9"},
            "if_present": {"type": "boolean", "description": "Skip what is missing or null. Default: false"}
        }
    })
}

/// What `get_verification_record` takes.
pub(super) fn look_up() -> Value {
    json!({
        "type": "object",
        "required": ["agent_id"],
        "additionalProperties": false,
        "properties": {
            "agent_id": {
                "type": "string", "minLength": 1, "maxLength": MAX_ID,
                "description": "The agent's id, exactly as it was sent to verify_schema"
            }
        }
    })
}

/// What `check_receipt` takes.
pub(in super::super) fn receipt_request() -> Value {
    let steps = StepName::ALL.map(StepName::as_str).into_iter().chain(["all"]);
    json!({
        "type": "object",
        "required": ["receipt"],
        "additionalProperties": false,
        "properties": {
            "receipt": {
                "type": "object",
                "description": "The receipt, whole and unchanged, as JSON and not as a string"
            },
            "request": {
                "type": "object",
                "description": "The request that it must be about, as verify_schema takes it: your \
                                own requirements, and the output that you were given"
            },
            "agent_card": {
                "type": "object",
                "description": "The issuer's agent-card, from a place that you trust"
            },
            "public_key": {
                "type": "string",
                "description": "In place of the card: the issuer's Ed25519 key, 32 bytes in base64"
            },
            "key_version": {
                "type": "string",
                "description": "The only key version that public_key is for"
            },
            "issuers": {
                "type": "array", "items": {"type": "string"},
                "description": "Hosts, or URLs that begin with https://, whose receipts you accept"
            },
            "require": {
                "type": "array", "items": {"enum": steps.collect::<Vec<_>>()},
                "description": "Steps that must have passed, else the verdict is undecided; all: \
                                every one but recheck"
            },
            "recheck": {
                "type": "boolean",
                "description": "Make the checks again and compare; needs request. Default: false"
            }
        }
    })
}

/// What `verify_schema` gives.
pub(super) fn response() -> Value {
    let hash =
        || json!({"type": "string", "description": "SHA-256 over the canonical form (RFC 8785)"});
    let count = || json!({"type": "integer", "minimum": 0});
    let findings = || json!({"type": "array", "items": {"type": "object"}});
    let score = || {
        json!({
            "type": "object",
            "required": ["ratio", "passed", "total"],
            "properties": {"ratio": {"type": "number"}, "passed": count(), "total": count()}
        })
    };
    answer_or_error(
        json!({
            "summary": {
                "type": "object",
                "required": ["result", "blocking_checks"],
                "properties": {
                    "result": {"enum": ["pass", "fail"]},
                    "blocking_checks": {"type": "array", "items": {"type": "string"}}
                }
            },
            "result": {"enum": ["pass", "fail"], "description": "The verdict"},
            "verification_id": {"type": "string"},
            "task_id": {"type": "string"},
            "agent_id": {"type": ["string", "null"]},
            "output_hash": hash(),
            "schema_hash": hash(),
            "rules_hash": hash(),
            "request_hash": hash(),
            "verified_at": {"type": "string", "description": "In UTC, with microseconds"},
            "verifier_version": {"type": "string"},
            "enforce_rules": {"type": "boolean"},
            "strict_content_check": {"type": "boolean"},
            "errors": {
                "type": "array", "items": {"type": "string"},
                "description": "The findings that made the result fail"
            },
            "errors_total": count(),
            "errors_omitted": count(),
            "errors_detail": findings(),
            "errors_detail_total": count(),
            "errors_detail_omitted": count(),
            "flags": findings(),
            "flags_total": count(),
            "flags_omitted": count(),
            "hints": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["source", "check", "path", "expected", "found"],
                    "properties": {
                        "source": {"enum": ["schema", "integrity"]},
                        "check": {"type": "string"},
                        "path": {"type": "string"},
                        "expected": {"type": "string"},
                        "found": {"type": "string"}
                    }
                },
                "description": "What to mend: one for each finding, whether it counted or not"
            },
            "hints_total": count(),
            "hints_omitted": count(),
            "schema_compliance": score(),
            "integrity_checks": score(),
            "overall": score(),
            "verify": verify(),
            "attestation": attestation()
        }),
        &[
            "summary",
            "result",
            "verification_id",
            "task_id",
            "agent_id",
            "output_hash",
            "schema_hash",
            "rules_hash",
            "verified_at",
            "verifier_version",
            "enforce_rules",
            "strict_content_check",
            "verify",
            "attestation",
        ],
    )
}

/// What `get_verification_record` gives.
pub(super) fn score() -> Value {
    let count = || json!({"type": "integer", "minimum": 0});
    let date = || json!({"type": ["string", "null"]});
    answer_or_error(
        json!({
            "agent_id": {"type": "string", "description": "A label that callers chose, no identity"},
            "verified": count(),
            "passed": count(),
            "failed": count(),
            "first_seen": date(),
            "last_seen": date(),
            "trust_score": {"type": ["number", "null"], "minimum": 0, "maximum": 1},
            "confidence_interval_95": {
                "type": ["array", "null"], "items": {"type": "number"},
                "minItems": 2, "maxItems": 2
            },
            "sample_size": count(),
            "identity_verified": {"const": false},
            "reason": {"enum": [null, "no_data"]},
            "scored_at": {"type": "string"},
            "verify": verify(),
            "attestation": attestation()
        }),
        &[
            "agent_id",
            "verified",
            "passed",
            "failed",
            "first_seen",
            "last_seen",
            "trust_score",
            "confidence_interval_95",
            "sample_size",
            "identity_verified",
            "reason",
            "scored_at",
            "verify",
            "attestation",
        ],
    )
}

/// What `check_receipt` gives.
pub(super) fn checked() -> Value {
    let claims = || {
        json!({
            "issuer": {"type": ["string", "null"]},
            "key_version": {"type": ["string", "null"]},
            "result": {"type": ["string", "null"]},
            "task_id": {"type": ["string", "null"]},
            "agent_id": {"type": ["string", "null"]},
            "verified_at": {"type": ["string", "null"]},
            "verification_id": {"type": ["string", "null"]},
            "enforce_rules": {"type": ["boolean", "null"]},
            "strict_content_check": {"type": ["boolean", "null"]},
            "trust_score": {"type": "string"}
        })
    };
    let mut members = json!({
        "verdict": {"enum": ["valid", "invalid", "undecided"]},
        "steps": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["step", "status", "detail"],
                "properties": {
                    "step": {"enum": StepName::ALL.map(StepName::as_str)},
                    "status": {"enum": ["passed", "failed", "not_checked"]},
                    "detail": {"type": "string"}
                }
            }
        },
        "claimed": {
            "type": "object",
            "description": "What the receipt says of itself, proved or not",
            "properties": claims()
        },
        "unsigned": {
            "type": "array", "items": {"type": "string"},
            "description": "Members that no signature covers"
        }
    });
    extend(&mut members, claims());
    answer_or_error(
        members,
        &["verdict", "steps", "result", "task_id", "agent_id", "claimed", "unsigned"],
    )
}

fn verify() -> Value {
    json!({
        "type": "object",
        "description": "How to check the signature",
        "required": ["public_key_url", "key_version", "canonicalization", "hash_algorithm", "service", "mcp"],
        "properties": {
            "public_key_url": {"type": ["string", "null"]},
            "key_version": {"type": "string"},
            "canonicalization": {"type": "string"},
            "hash_algorithm": {"type": "string"},
            "service": {"type": "string"},
            "mcp": {"type": ["string", "null"]}
        }
    })
}

fn attestation() -> Value {
    json!({
        "type": "object",
        "description": "The signature over all the rest",
        "required": ["algorithm", "key_version", "timestamp", "signature"],
        "properties": {
            "algorithm": {"const": "Ed25519"},
            "key_version": {"type": "string"},
            "timestamp": {"type": "string"},
            "signature": {"type": "string"}
        }
    })
}

/// An object with these members, or an error.
fn answer_or_error(mut members: Value, required: &[&str]) -> Value {
    let error = json!({
        "code": {"type": "string", "description": "In an error: its stable name"},
        "message": {"type": "string"},
        "status": {"type": ["integer", "null"]},
        "retryable": {"type": "boolean"},
        "charged": {"const": false},
        "next_actions": {"type": "array", "items": {"type": "object"}},
        "fields": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "problem", "fix"],
                "properties": {
                    "field": {"type": "string"},
                    "problem": {"type": "string"},
                    "fix": {"type": "string"}
                }
            }
        },
        "retry_after": {"type": "integer"},
        "guidance": {"type": "object"}
    });
    let of_an_error =
        ["code", "message", "status", "retryable", "charged", "next_actions", "fields"];
    extend(&mut members, error);
    json!({
        "type": "object",
        "properties": members,
        "anyOf": [{"required": required}, {"required": of_an_error}]
    })
}

fn extend(members: &mut Value, more: Value) {
    if let (Value::Object(members), Value::Object(more)) = (members, more) {
        members.extend(more);
    }
}
