//! A page for browsers in one file, which needs nothing from elsewhere: totals, what did not pass
//! and how often, and a row for each input.
//!
//! Whatever an input holds must stay text. All of it is escaped, and a policy in the page lets
//! nothing run or load but the style and the script that are written here. The markup is XML too,
//! so that a strict parser can hold it to that in tests.

mod rows;

use agent_output_verifier::digest::Digest;
use agent_output_verifier::finding::MAX_LISTED;
use agent_output_verifier::report::Score;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::super::Status;
use super::tally::Weight;
use super::whole::Ending;
use super::{Totals, checks_passed, percent};

pub(super) use rows::{receipt_row, row};

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

/// What comes before the rows.
pub(super) fn head(ending: &Ending) -> String {
    let (status, outcome) = ending.outcome();
    let title = format!("{}: {outcome}", ending.command);
    let (style, script) = (source(STYLE), source(SCRIPT));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src {style}; script-src {script}; base-uri 'none'; form-action 'none'\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <header><h1>{}: <strong class=\"{}\">{outcome}</strong></h1></header>\n<main>\n{}{}{}",
        ending.command,
        class(status),
        totals(ending),
        chart(ending),
        inputs(ending),
    )
}

/// What comes behind them.
pub(super) fn foot() -> String {
    format!(
        "</table>\n</section>\n</main>\n<footer><p>Made by aov {}.</p></footer>\n\
         <script>{SCRIPT}</script>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// The source expression that allows just this text.
fn source(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Digest::of_bytes(text.as_bytes()).as_bytes()))
}

/// What style and script know a status by.
fn class(status: Status) -> &'static str {
    match status {
        Status::Passed => "pass",
        Status::Failed => "fail",
        Status::Undecided => "undecided",
        Status::Unusable => "error",
    }
}

/// The statuses with their counts and what the page calls them.
fn kinds(totals: Totals, [good, bad]: [&'static str; 2]) -> [(Status, u64, &'static str); 4] {
    [
        (Status::Passed, totals.passed, good),
        (Status::Failed, totals.failed, bad),
        (Status::Undecided, totals.undecided, "undecided"),
        (Status::Unusable, totals.unusable, "could not be judged"),
    ]
}

fn totals(ending: &Ending) -> String {
    let all = ending.totals.all();
    let kinds = kinds(ending.totals, ending.words);
    let mut list = format!("<div><dt>inputs</dt><dd>{all}</dd></div>\n");
    for (status, count, what) in kinds {
        let share = if status == Status::Passed && all > 0 {
            let share = percent(Score { passed: count, total: all });
            format!(" <span>({share:.1}%)</span>")
        } else {
            String::new()
        };
        let class = if count == 0 { "none" } else { class(status) };
        list.push_str(&format!(
            "<div class=\"{class}\"><dt>{what}</dt><dd>{count}{share}</dd></div>\n"
        ));
    }
    let [schema, integrity] = ending.tally.scores();
    let checks = match schema.total + integrity.total {
        0 => String::new(),
        _ => format!("<p>{}</p>\n", checks_passed(schema, integrity)),
    };
    format!(
        "<section aria-labelledby=\"totals\">\n<h2 id=\"totals\">Totals</h2>\n\
         <dl class=\"totals\">\n{list}</dl>\n{}{checks}</section>\n",
        shares(&kinds)
    )
}

/// One bar with a part for each status; the list above it says the same in words.
fn shares(kinds: &[(Status, u64, &'static str); 4]) -> String {
    // One in a million must be seen too.
    const LEAST: f64 = 8.0;
    const WIDTH: f64 = 1000.0;
    let all = kinds.iter().map(|(_, count, _)| count).sum::<u64>().max(1) as f64;
    let kinds = kinds.iter().filter(|(_, count, _)| *count > 0);
    let parts: Vec<(Status, f64)> = kinds
        .map(|&(status, count, _)| (status, (count as f64 / all * WIDTH).max(LEAST)))
        .collect();
    let sum: f64 = parts.iter().map(|(_, width)| width).sum();
    let (mut bars, mut x) = (String::new(), 0.0);
    for (status, width) in parts {
        let width = width / sum.max(1.0) * WIDTH;
        let class = class(status);
        bars.push_str(&format!(
            "<rect class=\"{class}\" x=\"{x:.1}\" width=\"{width:.1}\" height=\"12\"/>"
        ));
        x += width;
    }
    format!(
        "<svg class=\"shares\" viewBox=\"0 0 1000 12\" preserveAspectRatio=\"none\" \
         aria-hidden=\"true\">{bars}</svg>\n"
    )
}

/// What did not pass, how often; the numbers are in the table, so the bars need no words.
fn chart(ending: &Ending) -> String {
    let ranked = ending.tally.ranked();
    let most = ranked.iter().map(|(.., count)| count.times).max().unwrap_or(0);
    if most == 0 {
        return String::new();
    }
    let mut lines = String::new();
    for (weight, name, count) in ranked {
        let (class, outcome) = match weight {
            Weight::Failed => ("fail", "failed"),
            Weight::Informs => ("undecided", "informs only"),
            Weight::NotChecked => ("undecided", "not checked"),
        };
        // Where there is no room, a name breaks between its words.
        let name = name.replace(':', ":<wbr/>").replace('_', "_<wbr/>");
        let width = (count.times as f64 / most as f64 * 100.0).max(0.5);
        lines.push_str(&format!(
            "<tr><th scope=\"row\"><code>{name}</code></th><td>{outcome}</td><td>{}</td>\
             <td>{}</td><td aria-hidden=\"true\"><svg viewBox=\"0 0 100 10\" \
             preserveAspectRatio=\"none\"><rect class=\"{class}\" width=\"{width:.1}\" \
             height=\"10\"/></svg></td></tr>\n",
            count.times, count.inputs
        ));
    }
    let more = match ending.tally.unnamed() {
        0 => String::new(),
        more => format!(
            "<p>{more} more findings are not in this table: of each input, only the first {MAX_LISTED} \
             of a kind name their check.</p>\n"
        ),
    };
    format!(
        "<section aria-labelledby=\"checks\">\n<h2 id=\"checks\">What did not pass</h2>\n\
         <table class=\"chart\" aria-labelledby=\"checks\">\n<thead><tr><th scope=\"col\">Check</th>\
         <th scope=\"col\">Outcome</th><th scope=\"col\">Times</th><th scope=\"col\">Inputs</th>\
         <td aria-hidden=\"true\"></td></tr></thead>\n<tbody>\n{lines}</tbody>\n</table>\n\
         {more}</section>\n"
    )
}

/// The heading of the table, what it leaves out, the form of the filter, and the table's head.
fn inputs(ending: &Ending) -> String {
    let mut notes = String::new();
    if ending.left_out > 0 {
        notes.push_str(&format!("<p>{} more findings are left out.</p>\n", ending.left_out));
    }
    if ending.unlisted > 0 {
        notes.push_str(&format!(
            "<p>{} more inputs are counted, but not listed here.</p>\n",
            ending.unlisted
        ));
    }
    if ending.interrupted {
        notes.push_str("<p>The run was interrupted: further inputs were not judged.</p>\n");
    }
    let kinds: String = kinds(ending.totals, ending.words)
        .into_iter()
        .filter(|(_, count, _)| *count > 0)
        .map(|(status, _, what)| {
            let class = class(status);
            format!(
                "<label><input type=\"checkbox\" name=\"kind\" value=\"{class}\" checked=\"\"/> \
                 {what}</label>\n"
            )
        })
        .collect();
    // Without its script the form could do nothing, so the script shows it.
    format!(
        "<section aria-labelledby=\"inputs\">\n<h2 id=\"inputs\">Inputs</h2>\n{notes}\
         <form id=\"filter\" role=\"search\" hidden=\"\">\n\
         <label class=\"words\">Show what has these words <input type=\"search\" name=\"words\" \
         autocomplete=\"off\" spellcheck=\"false\"/></label>\n\
         <fieldset><legend>and is</legend>\n{kinds}</fieldset>\n\
         <button type=\"button\" name=\"all\">Open all</button>\n\
         <output role=\"status\"></output>\n</form>\n\
         <table id=\"rows\" role=\"table\" aria-labelledby=\"inputs\">\n\
         <thead role=\"rowgroup\"><tr role=\"row\">\
         <th role=\"columnheader\" scope=\"col\">Result</th>\
         <th role=\"columnheader\" scope=\"col\">Input</th>\
         <th role=\"columnheader\" scope=\"col\">Passed</th></tr></thead>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn style_and_script_cannot_end_their_element_and_are_xml_text() {
        for text in [STYLE, SCRIPT] {
            assert!(!text.contains(['<', '&', '\r']) && !text.contains("]]>"));
            assert!(!text.contains("url(") && !text.contains("@import"));
        }
        assert_eq!(source(""), "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='");
    }

    /// The relative luminance of a colour such as `#fff` or `#1c2128`, as WCAG 2 defines it.
    fn luminance(colour: &str) -> f64 {
        let digits = colour.strip_prefix('#').unwrap();
        let width = digits.len() / 3;
        let part = |place: usize| {
            let part = &digits[place * width..(place + 1) * width];
            let value = u8::from_str_radix(&part.repeat(2 / width), 16).unwrap();
            let value = f64::from(value) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(0) + 0.7152 * part(1) + 0.0722 * part(2)
    }

    #[test]
    fn all_text_has_contrast_enough_by_day_and_by_night() {
        let palettes: Vec<&str> = STYLE.split(":root {").skip(1).collect();
        assert_eq!(palettes.len(), 2);
        for palette in palettes {
            let palette = &palette[..palette.find('}').unwrap()];
            let colour = |name: &str| {
                let (_, rest) = palette.split_once(&format!("--{name}: ")).unwrap();
                luminance(rest.split(';').next().unwrap())
            };
            let texts = ["text", "faint", "pass", "fail", "undecided", "error"];
            let pairs = texts.iter().flat_map(|text| [(*text, "back"), (*text, "soft")]);
            for (text, back) in pairs.chain([("text", "mark")]) {
                let (a, b) = (colour(text), colour(back));
                let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
                assert!(contrast >= 4.5, "{text} on {back}: {contrast:.2} in {palette}");
            }
        }
    }

    #[test]
    fn the_smallest_share_is_seen() {
        let totals = Totals { passed: 1_000_000, failed: 1, ..Totals::default() };
        let bar = shares(&kinds(totals, ["passed", "failed"]));
        assert!(bar.contains("class=\"fail\" x=\"992.1\" width=\"7.9\""), "{bar}");
        assert!(!shares(&kinds(Totals::default(), ["", ""])).contains("rect"));
    }
}
