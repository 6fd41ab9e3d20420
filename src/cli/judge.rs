//! One text judged: read, held against the requirements, handed to the renderer.

use std::fs::File;

use agent_output_verifier::attest::{Signer, Unsigned};
use agent_output_verifier::datetime::format_utc_micros;
use agent_output_verifier::digest::Digest;
use agent_output_verifier::error::ErrorBody;
use agent_output_verifier::json::{Buffers, Document, Value};
use agent_output_verifier::report::{Conclusion, Report, Undecided, Verdict};
use agent_output_verifier::request::{Detail, KnownRequirements, MAX_ID, Requirements, check_id};
use agent_output_verifier::response::{Response, Subject};
use agent_output_verifier::verify::{conclude, verdict, verdict_by_element, verify};

use super::Status;
use super::batch::Name;
use super::trouble::{Trouble, of_invalid_request, of_refusal};
use crate::clock::now;
use crate::random::new_id;

/// What texts are held against, and what is wanted of it.
pub(crate) struct Judge<'r> {
    pub(crate) against: Against<'r>,
    /// Replaces the task id that the input's name or the request would give.
    pub(crate) task_id: Option<&'r str>,
    pub(crate) agent_id: Option<&'r str>,
    pub(crate) detail: Option<Detail>,
    pub(crate) wanted: Wanted,
    pub(crate) signature: Option<Signature<'r>>,
}

/// Where the requirements come from.
pub(crate) enum Against<'r> {
    /// The same for every text.
    Shared(&'r Requirements<'r>),
    /// Every text is a whole request; many of them may ask for the same.
    Requests(KnownRequirements),
}

/// What a run shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wanted {
    Report,
    /// Responses and nothing that they do not hold
    Responses,
    /// The exit status alone
    Verdict,
}

/// Who signs reports, and when.
#[derive(Clone, Copy)]
pub(crate) struct Signature<'r> {
    pub(crate) signer: Signer<'r>,
    pub(crate) moment: Moment,
    pub(crate) verification_id: Option<&'r str>,
}

/// The time that reports bear.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Moment {
    Now,
    /// Microseconds since the Unix epoch, so that a run can be reproduced.
    At(i64),
}

/// The default task id: the last 200 characters of the name.
fn task_id_of(name: Name<'_>) -> String {
    let full = name.full();
    if (1..=MAX_ID).contains(&full.len()) {
        return full;
    }
    let skipped = full.chars().count().saturating_sub(MAX_ID);
    let id: String = full.chars().skip(skipped).collect();
    if id.is_empty() { "-".to_owned() } else { id }
}

/// What became of a text.
pub(crate) enum Judged<'a> {
    Report(&'a Judgement<'a>),
    /// For a compact response
    Conclusion(&'a Judgement<'a, Conclusion>),
    Verdict(Verdict),
    Undecided {
        undecided: Undecided,
        task_id: &'a str,
    },
    Unusable {
        body: ErrorBody,
        troubles: Vec<Trouble>,
        task_id: &'a str,
    },
}

/// A report, or a conclusion alone, with what belongs to it.
pub(crate) struct Judgement<'a, R = Report> {
    pub(crate) subject: Subject<'a>,
    pub(crate) requirements: &'a Requirements<'a>,
    pub(crate) report: R,
    pub(crate) signer: Option<Signer<'a>>,
}

/// What a response can be made of.
pub(crate) trait Respond {
    fn response<'a>(&'a self, subject: Subject<'a>, to: &Requirements<'_>) -> Response<'a>;
}

impl Respond for Report {
    fn response<'a>(&'a self, subject: Subject<'a>, to: &Requirements<'_>) -> Response<'a> {
        Response::new(subject, to, self)
    }
}

impl Respond for Conclusion {
    fn response<'a>(&'a self, subject: Subject<'a>, to: &Requirements<'_>) -> Response<'a> {
        Response::compact(subject, to, self)
    }
}

impl<R: Respond> Judgement<'_, R> {
    /// Appends the response on the wire, on one line, but for its signature where there is a signer:
    /// that is added to those that are still to be made.
    pub(crate) fn write_response(
        &self,
        unsigned: &mut Unsigned,
        out: &mut Vec<u8>,
    ) -> Result<(), serde_json::Error> {
        let mut response = self.response();
        match self.signer {
            Some(signer) => signer.write(&mut response, unsigned, out),
            None => response.write(out),
        }
    }

    /// The response, signed where there is a signer, indented.
    pub(crate) fn indented_response(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut response = self.response();
        if let Some(signer) = self.signer {
            signer.sign(&mut response, &mut Vec::new())?;
        }
        serde_json::to_vec_pretty(&response)
    }

    /// Makes signatures that are still to be made.
    pub(crate) fn sign(&self, unsigned: &mut Unsigned, out: &mut [u8]) {
        if let Some(signer) = self.signer {
            unsigned.sign(signer.key, out);
        }
    }

    fn response(&self) -> Response<'_> {
        self.report.response(self.subject, self.requirements)
    }
}

impl Judged<'_> {
    /// The exit status that it stands for.
    pub(crate) fn status(&self) -> Status {
        let verdict = match self {
            Judged::Report(judgement) => judgement.report.verdict,
            Judged::Conclusion(judgement) => judgement.report.verdict,
            Judged::Verdict(verdict) => *verdict,
            Judged::Undecided { .. } => return Status::Undecided,
            Judged::Unusable { .. } => return Status::Unusable,
        };
        match verdict {
            Verdict::Pass => Status::Passed,
            Verdict::Fail => Status::Failed,
        }
    }
}

impl Judge<'_> {
    /// Judges a text and hands what became of it to `show`. Gives the buffers back.
    pub(crate) fn judge(
        &self,
        bytes: &[u8],
        name: Name<'_>,
        buffers: Buffers,
        show: &mut dyn FnMut(Judged<'_>),
    ) -> Buffers {
        match Document::parse_with(bytes, buffers) {
            Ok(document) => {
                self.judge_document(&document, name, show);
                document.into_buffers()
            }
            Err(refused) => {
                let (body, trouble) = of_refusal(name, refused.error);
                let task_id = self.default_task_id(name);
                let troubles = vec![trouble];
                show(Judged::Unusable { body, troubles, task_id: &task_id });
                refused.buffers
            }
        }
    }

    /// Judges a file piece by piece, where the verdict alone is wanted and can be had that way.
    pub(crate) fn judge_in_passing(&self, file: File) -> Option<Judged<'static>> {
        let Against::Shared(requirements) = &self.against else {
            return None;
        };
        if self.wanted != Wanted::Verdict {
            return None;
        }
        // What goes wrong here is told when the file is read whole.
        verdict_by_element(requirements, file).ok().flatten().map(Judged::Verdict)
    }

    /// Shows an input that could not be read at all.
    pub(crate) fn unreadable(
        &self,
        name: Name<'_>,
        trouble: Trouble,
        show: &mut dyn FnMut(Judged<'_>),
    ) {
        let task_id = self.default_task_id(name);
        let body = ErrorBody::unreadable(trouble.message.clone());
        show(Judged::Unusable { body, troubles: vec![trouble], task_id: &task_id });
    }

    fn default_task_id(&self, name: Name<'_>) -> String {
        self.task_id.map_or_else(|| task_id_of(name), str::to_owned)
    }

    fn judge_document(
        &self,
        document: &Document<'_>,
        name: Name<'_>,
        show: &mut dyn FnMut(Judged<'_>),
    ) {
        match &self.against {
            Against::Shared(requirements) => {
                let output = document.root();
                if self.wanted == Wanted::Verdict {
                    // The task id is nobody's but an error's.
                    return show(match verdict(requirements, output) {
                        Ok(verdict) => Judged::Verdict(verdict),
                        Err(undecided) => Judged::Undecided { undecided, task_id: name.input },
                    });
                }
                let task_id = self.default_task_id(name);
                let detail = self.detail.unwrap_or_default();
                self.report(requirements, output, (&task_id, self.agent_id, detail), show);
            }
            Against::Requests(known) => match known.read(document.root()) {
                Ok(request) => {
                    let task_id = self.task_id.unwrap_or(request.task_id);
                    let agent_id = self.agent_id.or(request.agent_id);
                    let detail = self.detail.unwrap_or(request.detail);
                    let subject = (task_id, agent_id, detail);
                    self.report(request.held.requirements(), request.output, subject, show);
                }
                Err(error) => {
                    let files = [(name.input, document)];
                    let troubles = of_invalid_request(&error, &files, name.line);
                    let own = document.root().get("task_id").and_then(Value::as_str);
                    let own = own.filter(|id| check_id(id).is_ok());
                    let task_id = self.task_id.or(own);
                    let task_id = task_id.map_or_else(|| task_id_of(name), str::to_owned);
                    let body = ErrorBody::invalid_request(&error);
                    show(Judged::Unusable { body, troubles, task_id: &task_id });
                }
            },
        }
    }

    fn report(
        &self,
        requirements: &Requirements<'_>,
        output: Value<'_>,
        (task_id, agent_id, detail): (&str, Option<&str>, Detail),
        show: &mut dyn FnMut(Judged<'_>),
    ) {
        if self.wanted == Wanted::Verdict {
            return show(match verdict(requirements, output) {
                Ok(verdict) => Judged::Verdict(verdict),
                Err(undecided) => Judged::Undecided { undecided, task_id },
            });
        }
        // A compact response has no place for more.
        let found = match self.wanted == Wanted::Responses && detail == Detail::Compact {
            true => conclude(requirements, output).map(Found::Conclusion),
            false => verify(requirements, output).map(Found::Report),
        };
        match found {
            Ok(found) => {
                let moment = self.signature.map_or(Moment::Now, |signature| signature.moment);
                let verified_at = format_utc_micros(match moment {
                    Moment::Now => now(),
                    Moment::At(micros) => micros,
                });
                let given = self.signature.and_then(|signature| signature.verification_id);
                let verification_id = match (given, moment) {
                    (Some(id), _) => id.to_owned(),
                    (None, Moment::Now) => new_id(),
                    (None, Moment::At(_)) => {
                        let request = requirements.request_hash(task_id, agent_id, output);
                        derived_id(&request, &verified_at)
                    }
                };
                let subject = Subject {
                    verification_id: &verification_id,
                    task_id,
                    agent_id,
                    output,
                    verified_at: &verified_at,
                    detail,
                };
                let signer = self.signature.map(|signature| signature.signer);
                match found {
                    Found::Report(report) => {
                        show(Judged::Report(&Judgement { subject, requirements, report, signer }));
                    }
                    Found::Conclusion(report) => {
                        let judgement = Judgement { subject, requirements, report, signer };
                        show(Judged::Conclusion(&judgement));
                    }
                }
            }
            Err(undecided) => show(Judged::Undecided { undecided, task_id }),
        }
    }
}

/// What checks came to, as far as it is wanted.
enum Found {
    Report(Report),
    Conclusion(Conclusion),
}

/// A UUID (version 8, RFC 9562 §5.8) that the request and the time determine.
fn derived_id(request: &Digest, verified_at: &str) -> String {
    let digest = Digest::of_bytes(format!("{request} {verified_at}").as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest.as_bytes()[..16]);
    uuid::Uuid::new_v8(bytes).to_string()
}
