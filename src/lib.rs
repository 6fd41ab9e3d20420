//! Checks the JSON output of an AI agent against what its buyer asked for: a JSON Schema, bounds,
//! cross-field rules and the state of the text itself, with a verdict, scores, and for every
//! failed check the place, what was expected, what was found and how to mend it.
//!
//! The library takes bytes and gives back data. It knows nothing of the command line, of files, of
//! the network or of the clock.
//!
//! ```
//! use agent_output_verifier::json::Document;
//! use agent_output_verifier::report::Verdict;
//! use agent_output_verifier::request::Request;
//! use agent_output_verifier::verify::verify;
//!
//! let text = br#"{"task_id": "t", "expected_schema": {"type": "object", "required": ["total"]},
//!                 "submitted_output": {"total": 42}}"#;
//! let document = Document::parse(text)?;
//! let request = Request::parse(document.root())?;
//! let report = verify(&request.requirements, request.output)?;
//! assert_eq!(report.verdict, Verdict::Pass);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod agent_card;
pub mod attest;
pub mod check_receipt;
pub mod checks;
pub mod content;
pub mod datetime;
pub mod decimal;
pub mod digest;
pub mod error;
pub mod finding;
pub mod jcs;
pub mod json;
pub mod key;
mod message;
pub mod path;
pub mod receipt;
pub mod report;
pub mod request;
pub mod response;
pub mod rules;
pub mod schema;
pub mod score;
pub mod template;
pub mod text;
pub mod verify;
