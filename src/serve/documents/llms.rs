//! `/llms.txt`: what there is, in Markdown for language models, and `/llms-full.txt`, which adds
//! worked examples. They are worked by this very server, when it starts.

use std::fmt::Write as _;

use agent_output_verifier::error::PaymentErrorCode;

use super::super::app::EXAMPLE_TEXT;
use super::super::catalog::{Catalog, Gives, Group, Route, SUMMARY, Takes};

/// Requests whose answers are shown: what each is, and the request.
const EXAMPLES: [(&str, &str); 3] = [
    (
        "An invoice whose total is wrong: a fail",
        include_str!("../../../examples/invoice/request-draft.json"),
    ),
    (
        "The same, put right, with the compact answer: a pass",
        include_str!("../../../examples/invoice/request-final.json"),
    ),
    (
        "A request that is refused: the rule's type is unknown",
        r#"{
  "task_id": "invoice-1",
  "expected_schema": {"type": "object"},
  "submitted_output": {"lines": [{"amount": 30}, {"amount": 12}], "total": 42},
  "rules": [{"type": "sum_equal", "field": "lines[].amount", "equals_field": "total"}]
}"#,
    ),
];

/// The short one.
pub(super) fn llms(catalog: &Catalog<'_>) -> String {
    let mut text = head(catalog);
    text.push_str(&links(catalog));
    text
}

/// The one with examples.
pub(super) fn llms_full(catalog: &Catalog<'_>) -> String {
    let mut text = head(catalog);
    text.push_str(&examples(catalog));
    text.push_str(&links(catalog));
    text
}

fn head(catalog: &Catalog<'_>) -> String {
    let app = catalog.app;
    let (name, verify) = (&app.identity.name, catalog.url(Route::VERIFY_SCHEMA.path));
    let sections = [mcp, free_allowance, payments, errors, receipts];
    let sections = sections.map(|section| section(catalog)).concat();
    format!(
        "# {name}\n\n\
         > {SUMMARY} Verdicts are computed, not judged by a model: the same request always comes \
         to the same result.\n\n\
         Before you deliver JSON, check it here, mend what `hints` names, and deliver the whole \
         answer with it: it is a signed receipt. Before you accept or pay for JSON, check it with \
         your own schema and rules, or check the receipt that came with it. No account is needed.\n\n\
         ## Check an output\n\n\
         POST this to {verify} with `Content-Type: application/json`:\n\n\
         ```json\n{EXAMPLE_TEXT}\n```\n\n\
         - `task_id`: your own name for the check, 1 to 200 characters.\n\
         - `expected_schema`: a JSON Schema (draft-04 to 2020-12, as `$schema` says). It must \
         stand alone: a `$ref` to elsewhere is refused.\n\
         - `submitted_output`: the JSON itself, not a string with JSON in it.\n\
         - `rules`: a list; each rule has a `type` and a `field`, which is a path. `sum_equals`: \
         the values there add up to `equals_field` or `equals`. `gte`, `lte`: each is at least, or \
         at most, `other_field` or `value`. `exists_in`: each is one of `in_field` or `values`. \
         `unique`: no two are equal. `tolerance` allows a difference, `if_present: true` skips what \
         is missing or null.\n\
         - `bounds`: by path, `{{\"items[].price\": {{\"min\": 0, \"max\": 100}}}}`, both ends \
         included; numbers or ISO 8601 dates. `if_present` as in rules.\n\
         - A path is `buyer.name`, `items[].price` for every element, `items[0].price` for one, \
         `[].id` where the output is a list; a `\\` takes the next character literally. \
         `orders[].lines[].amount` against `orders[].total` is one sum for each order.\n\
         - `enforce_rules`: true lets bounds and rules make the result fail; otherwise they only \
         inform. `strict_content_check`: the same for placeholders, damaged text and the like.\n\
         - `detail`: `compact` leaves out errors, hints, flags and scores.\n\
         - `agent_id`: whose output it is. The result is recorded for that agent, unless the id \
         begins with `test-`. It is a label, not an identity.\n\n\
         Every other field is refused. A body may have {limit} bytes. The answer has `result` \
         (`pass` or `fail`; a fail is an answer, with status 200), `errors` that made it fail, \
         `hints` (path, expected and found of every finding), scores and a signature. A pass does \
         not say that the data is true, that the schema asks for enough, or who made the \
         output.\n\n{sections}",
        limit = app.bodies.limit(),
    )
}

fn mcp(catalog: &Catalog<'_>) -> String {
    let Some((url, tools)) = catalog.mcp() else { return String::new() };
    let tools: Vec<String> = tools.iter().map(|name| format!("`{name}`")).collect();
    format!(
        "## MCP\n\nThe same as tools of the Model Context Protocol, over streamable HTTP at {url}: \
         {}.\n\n",
        tools.join(", ")
    )
}

fn free_allowance(catalog: &Catalog<'_>) -> String {
    let app = catalog.app;
    let mut text = format!("## Free allowance\n\n{}\n", app.free_checks());
    if let Some(allowance) = &app.allowance {
        let then = match catalog.terms() {
            Some(_) => "402, and the check is paid for",
            None => "429 with `Retry-After`",
        };
        let _ = writeln!(
            text,
            "\n- Free checks a client and day: {}, of REST and MCP together\n\
             - They begin anew at midnight UTC. The answers to checks say what is left: \
             `Free-Allowance-Limit`, `Free-Allowance-Remaining`, `Free-Allowance-Resets`.\n\
             - A client is an IPv4 address, or an IPv6 network of 64 bits.\n\
             - Refused requests use nothing up. After that: {then}.",
            allowance.limit()
        );
    }
    let free = match catalog.terms() {
        Some(_) => "Reputations and checks of receipts",
        None => "Scores, reputations and checks of receipts",
    };
    let _ = write!(
        text,
        "\n{free} are free and use nothing up; only to recheck a receipt counts as a check.\n\n"
    );
    text
}

/// What is charged, where something is.
fn payments(catalog: &Catalog<'_>) -> String {
    let Some(terms) = catalog.terms() else {
        return format!("## Payments\n\n{}\n\n", catalog.app.price());
    };
    let mut text = format!(
        "## Payments\n\n{}\n\n\
         An unpaid call that has its price is answered with 402 and a `Payment-Required` header \
         (x402 version 2: base64 of JSON, also in the body). Pay for one entry of `accepts`, and \
         send the same request again with the payment in `Payment-Signature`; the answer has the \
         settlement in `Payment-Response`. Over MCP the payment is `_meta[\"x402/payment\"]`. {} \
         has the exact terms.\n\n\
         | route | price | networks |\n| --- | --- | --- |\n",
        catalog.app.price(),
        catalog.url(Route::X402.path),
    );
    for route in catalog.named() {
        if let Some((_, good)) = catalog.charge(route) {
            let (method, price) = (route.method.name(), terms.price(good));
            let networks = terms.networks();
            let _ = writeln!(text, "| `{method} {}` | {price} | {networks} |", route.path);
        }
    }
    text + "\n"
}

fn errors(catalog: &Catalog<'_>) -> String {
    let mut text = "## Errors\n\n\
                    All errors but those of payments are JSON of one shape: `code` (stable), \
                    `message`, `status`, `retryable`, `charged` (always false), `next_actions`, \
                    `fields` (each with `field`, `problem` and `fix`), `retry_after` (seconds, \
                    where waiting helps), and `guidance` with an example that works. What was sent \
                    is not repeated.\n\n\
                    | code | status | retryable | when | what to do |\n\
                    | --- | --- | --- | --- | --- |\n"
        .to_owned();
    for code in catalog.all_errors() {
        let Some(status) = code.status else { continue };
        let retryable = if code.retryable { "yes" } else { "no" };
        let (code, when, what_to_do) = (code.code, code.when, code.what_to_do);
        let _ = writeln!(text, "| `{code}` | {status} | {retryable} | {when} | {what_to_do} |");
    }
    text.push_str("\n## Payment errors\n\n");
    if catalog.terms().is_none() {
        let none = "None: this server takes no payments, and answers no request with 402.\n\n";
        return text + none;
    }
    text.push_str(
        "A refused payment is answered with 402 and new terms; `payment_error.error_code` says \
         why. Nothing was charged.\n\n| code | when | what to do |\n| --- | --- | --- |\n",
    );
    for PaymentErrorCode { code, when, what_to_do } in PaymentErrorCode::ALL {
        let _ = writeln!(text, "| `{code}` | {when} | {what_to_do} |");
    }
    text + "\n"
}

fn receipts(catalog: &Catalog<'_>) -> String {
    format!(
        "## Check a receipt\n\n\
         POST `{{\"receipt\": …, \"request\": …, \"agent_card\": …}}` to {check}. `request` is what \
         the receipt is about, as you know it; `agent_card` the issuer's card from its \
         `verify.public_key_url`, if you trust that place; or `public_key` in its stead. \
         `issuers` lists hosts that you accept, `require` steps that must have passed (`all` for \
         every one), `recheck: true` makes the checks again. Nothing is fetched. The answer has a `verdict` (`valid`, `invalid`, \
         `undecided`) and every step with its reason. A valid receipt can say `fail`: read \
         `result`.\n\n\
         By yourself: take `attestation` out of the receipt; put the rest as `response` into an \
         object with `context` (`json-schema-verifier/verify-schema-attestation/v1`, for scores \
         `json-schema-verifier/trust-score-attestation/v1`), `algorithm`, `key_version` and \
         `attested_at` (the attestation's `timestamp`); canonicalize it (RFC 8785) and verify the \
         Ed25519 signature with the key of that version from the agent-card, {card}. The hashes \
         are SHA-256 over canonical forms.\n\n",
        check = catalog.url(Route::RECEIPT_CHECK.path),
        card = catalog.url(Route::AGENT_CARD.path),
    )
}

fn examples(catalog: &Catalog<'_>) -> String {
    let mut text =
        "## Worked examples\n\nThis server has answered these requests as shown when it \
                    started.\n\n"
            .to_owned();
    for (title, request) in EXAMPLES {
        let answer = indented(&catalog.app.example(request));
        let _ = write!(
            text,
            "### {title}\n\nPOST {}\n\n```json\n{}\n```\n\nThe answer:\n\n```json\n{answer}\n```\n\n",
            catalog.url(Route::VERIFY_SCHEMA.path),
            request.trim_end()
        );
    }
    text
}

/// JSON without white space, as people read it, with its members in their order.
fn indented(json: &[u8]) -> String {
    let (mut out, mut depth, mut in_string, mut escaped) = (String::new(), 0, false, false);
    let mut last = ' ';
    for c in String::from_utf8_lossy(json).chars() {
        if in_string {
            in_string = escaped || c != '"';
            escaped = c == '\\' && !escaped;
        } else {
            depth += usize::from(matches!(last, '{' | '['));
            let closes = matches!(c, '}' | ']');
            depth -= usize::from(closes);
            let empty = closes && matches!(last, '{' | '[');
            if (closes || matches!(last, '{' | '[' | ',')) && !empty {
                let _ = write!(out, "\n{:1$}", "", 2 * depth);
            }
            in_string = c == '"';
        }
        out.push(c);
        if c == ':' && !in_string {
            out.push(' ');
        }
        last = if in_string { '"' } else { c };
    }
    out
}

fn links(catalog: &Catalog<'_>) -> String {
    let mut text = String::new();
    for group in Group::ALL {
        let name = match group {
            // For readers that are short of room, the rest can be left out.
            Group::Discovery => "Optional",
            other => other.name(),
        };
        let _ = writeln!(text, "## {name}\n");
        let is_here = |route: &&Route| route.group == group && route.gives != Gives::Index;
        for route in catalog.named().filter(is_here) {
            let method = if route.takes == Takes::Nothing { "" } else { route.method.name() };
            let title = format!("{method} {}", route.path);
            let url = catalog.url(route.path);
            let _ = writeln!(text, "- [{}]({url}): {}", title.trim_start(), route.summary);
        }
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_indented_and_stays_the_same() {
        let text = r#"{"b":[1,{"c":"a\"{,:\\"},[],{}],"a":null}"#;
        let shown = indented(text.as_bytes());
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
        assert!(
            shown.starts_with("{\n  \"b\": [\n    1,\n    {\n      \"c\": \"a\\\"{,:"),
            "{shown}"
        );
        assert!(shown.ends_with("\n    [],\n    {}\n  ],\n  \"a\": null\n}"), "{shown}");
    }
}
