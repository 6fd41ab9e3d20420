//! GitHub workflow commands: one line for each finding, which annotates its place in the file.
//!
//! The runner reads commands line by line, from both streams. All that comes from an input is
//! escaped as the runner unescapes it, so that no input starts, ends or changes a command:
//! <https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts>.

use agent_output_verifier::text::{escaped, shortened};

use super::super::batch::Name;
use super::super::judge::Judged;
use super::{Placed, placed, reasons, relative};

/// The commands of an input; none for one that passed without a finding.
pub(super) fn lines(name: Name<'_>, judged: &Judged<'_>, out: &mut Vec<u8>) {
    let file = relative(name.input);
    match judged {
        Judged::Report(judgement) => {
            let (findings, unshown) = placed(name, judgement);
            let task = judgement.subject.task_id;
            let task = if task == name.full() { String::new() } else { format!("\ntask: {task}") };
            let last = findings.len().saturating_sub(1);
            for (place, Placed { finding, line, column, blocks }) in findings.iter().enumerate() {
                let command = if *blocks { "error" } else { "notice" };
                let title = shortened(&format!("{} at '{}'", finding.check, finding.field));
                let more = if place == last && unshown > 0 {
                    format!("\nand {unshown} more in this input")
                } else {
                    String::new()
                };
                let message = format!("{}\n{}{task}{more}", finding.detail, finding.fix());
                let place = Some((*line, Some(*column)));
                put(out, command, &file, place, &title, &message);
            }
        }
        Judged::Undecided { undecided, .. } => {
            let place = name.line.map(|line| (line, None));
            put(out, "error", &file, place, "undecided", &undecided.to_string());
        }
        Judged::Unusable { troubles, .. } => {
            let place = name.line.map(|line| (line, None));
            put(out, "error", &file, place, "could not be judged", &reasons(troubles).join("\n"));
        }
        // What comes to less than a report is judged only where no more is shown.
        Judged::Conclusion(_) | Judged::Verdict(_) => {}
    }
}

fn put(
    out: &mut Vec<u8>,
    command: &str,
    file: &str,
    place: Option<(usize, Option<usize>)>,
    title: &str,
    message: &str,
) {
    let mut text = format!("::{command} file={}", property(file));
    if let Some((line, column)) = place {
        text.push_str(&format!(",line={line}"));
        if let Some(column) = column {
            text.push_str(&format!(",col={column}"));
        }
    }
    text.push_str(&format!(",title={}::{}\n", property(title), data(message)));
    out.extend_from_slice(text.as_bytes());
}

/// The value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// The message: line breaks as the runner decodes them, all else that could mislead as JSON
/// escapes.
fn data(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for part in text.split_inclusive(['%', '\r', '\n']) {
        let kept = part.trim_end_matches(['%', '\r', '\n']);
        out.push_str(&escaped(kept));
        out.push_str(match &part[kept.len()..] {
            "%" => "%25",
            "\r" => "%0D",
            "\n" => "%0A",
            _ => "",
        });
    }
    out
}

/// What standard error is told. The runner takes the older form of commands, `##[…]`, anywhere in
/// a line; the newer one only at its beginning, where no text of an input stands.
pub(super) fn told(text: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(text).replace("##[", "##\\u005b").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_runner_decodes_is_escaped() {
        assert_eq!(data("100%\r\n::x,y\u{1b}[0m"), "100%25%0D%0A::x,y\\u001b[0m");
        assert_eq!(data("%0A%%"), "%250A%25%25");
        assert_eq!(property("a,b:c.json"), "a%2Cb%3Ac.json");
        assert_eq!(told(b"error: ##[error]x\n"), b"error: ##\\u005berror]x\n");
    }
}
