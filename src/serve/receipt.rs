//! Checks receipts as the command does, with all that it needs in one document. Nothing is fetched.

use std::sync::Arc;

use agent_output_verifier::agent_card::{self, AgentCard};
use agent_output_verifier::check_receipt::{
    About, CardOrigin, CheckedResponse, GivenKey, KeySource, ReceiptRequest, Terms, Wording, check,
    host_of,
};
use agent_output_verifier::error::ErrorBody;
use agent_output_verifier::json::Document;
use agent_output_verifier::receipt::Receipt;
use agent_output_verifier::text::quoted;

use super::app::{Answer, App, Refusal, internal_error};
use super::body::Text;
use super::client::Client;
use super::documents;
use crate::clock::now;

/// The fields that give a check what it needs.
const FIELDS: Wording = Wording {
    agent_card: "`agent_card`",
    public_key: "`public_key`",
    issuer: "`issuers`",
    future: "one of the two clocks is wrong",
    output: "`request` gives it",
    schema: "`request` gives it",
    rules: "`request` gives it",
    request: "`request` gives it",
};

/// Checks a receipt. To make its checks again counts as a check.
pub(super) async fn check_receipt(
    app: &Arc<App>,
    text: Text,
    client: Option<Client>,
) -> Result<Answer, Refusal> {
    let judging = Arc::clone(app);
    app.off_the_event_loop(move || judge(&judging, text.as_bytes(), client)).await?
}

fn judge(app: &App, text: &[u8], client: Option<Client>) -> Result<Answer, Refusal> {
    let document = Document::parse(text).map_err(|error| ErrorBody::invalid_json(&error))?;
    let asked = ReceiptRequest::parse(document.root())
        .map_err(|error| ErrorBody::invalid_request(&error))?;
    let now = now();
    let balance = if asked.recheck { app.admit(client, now)? } else { None };
    let url = Receipt::read(asked.receipt).ok().and_then(|receipt| receipt.public_key_url());
    // The only card that is here already: this server's own.
    let own = url.filter(|url| app.identity.card_url.as_deref() == Some(*url));
    let own = own.and_then(|_| own_card(app));
    let hint = hint(url);
    let key = match (&asked.key, &own, url) {
        (GivenKey::Card(card), ..) => {
            KeySource::Card { card, origin: CardOrigin::User { url: None } }
        }
        (GivenKey::Key { key, key_version }, ..) => {
            KeySource::Given { key, key_version: *key_version }
        }
        (GivenKey::None, Some(card), Some(url)) => {
            KeySource::Card { card, origin: CardOrigin::Named { url } }
        }
        (GivenKey::None, ..) => KeySource::BuiltIn { otherwise: &hint },
    };
    let terms = Terms {
        key,
        issuers: &asked.issuers,
        now,
        about: asked.request.map_or(About::Nothing, About::Request),
        recheck: asked.recheck,
        required: &asked.required,
        wording: &FIELDS,
    };
    let checked = check(asked.receipt, &terms);
    let json = serde_json::to_vec(&CheckedResponse::from(&checked));
    let json = json.map_err(|error| internal_error(&error))?;
    Ok(Answer { json, balance, receipt: None })
}

fn own_card(app: &App) -> Option<AgentCard> {
    agent_card::parse(documents::agent_card(app).to_json().as_bytes()).ok()
}

/// How to have a key, where there is none.
fn hint(url: Option<&str>) -> String {
    match url {
        Some(url) => format!(
            "there is no key; the receipt names {}: get that card, send it as `agent_card`, and \
             name {} in `issuers` if you trust it; nothing is fetched here",
            quoted(url),
            host_of(url).unwrap_or_else(|| "its host".to_owned())
        ),
        None => "there is no key, and the receipt names no place for it; send `agent_card` or \
                 `public_key`"
            .to_owned(),
    }
}
