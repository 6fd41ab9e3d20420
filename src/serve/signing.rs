//! Signatures of requests that are under way on one event loop at the same time, made together: that takes
//! less time than one by one.

use std::cell::RefCell;

use agent_output_verifier::attest::Unsigned;
use agent_output_verifier::key::SigningKey;

use super::loops;

/// An answer that is complete but for its signature, and that signature's message.
type Answer = (Unsigned, Vec<u8>);

/// The answers of one event loop. All that waits is signed as soon as one of them is wanted.
#[derive(Default)]
struct Desk {
    tickets: u64,
    waiting: (Vec<Ticket>, Vec<Answer>),
    signed: Vec<(Ticket, Vec<u8>)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Ticket(u64);

thread_local! {
    static DESK: RefCell<Desk> = RefCell::default();
}

/// Signs an answer, with those that the event loop has ready besides.
pub(super) async fn sign(key: &SigningKey, answer: Answer) -> Vec<u8> {
    // Elsewhere the work may go on on another thread than this one.
    if !loops::is_one() {
        let (mut unsigned, mut json) = answer;
        unsigned.sign(key, &mut json);
        return json;
    }
    let waiting = Waiting(DESK.with_borrow_mut(|desk| desk.hand_in(answer)));
    // What else is ready comes first.
    tokio::task::yield_now().await;
    DESK.with_borrow_mut(|desk| desk.collect(waiting.0, key))
}

impl Desk {
    fn hand_in(&mut self, answer: Answer) -> Ticket {
        self.tickets += 1;
        let ticket = Ticket(self.tickets);
        self.waiting.0.push(ticket);
        self.waiting.1.push(answer);
        ticket
    }

    fn collect(&mut self, ticket: Ticket, key: &SigningKey) -> Vec<u8> {
        if self.waiting.0.contains(&ticket) {
            let (tickets, answers) = &mut self.waiting;
            Unsigned::sign_together(key, answers);
            let answers = answers.drain(..).map(|(_, json)| json);
            self.signed.extend(tickets.drain(..).zip(answers));
        }
        let place = self.signed.iter().position(|(signed, _)| *signed == ticket);
        // It was handed in, and is given out once.
        place.map(|place| self.signed.swap_remove(place).1).unwrap_or_default()
    }

    fn forget(&mut self, ticket: Ticket) {
        self.signed.retain(|(signed, _)| *signed != ticket);
        if let Some(place) = self.waiting.0.iter().position(|waiting| *waiting == ticket) {
            self.waiting.0.swap_remove(place);
            self.waiting.1.swap_remove(place);
        }
    }
}

/// A request that waits for its signature. Where its client leaves, nothing is kept of it.
struct Waiting(Ticket);

impl Drop for Waiting {
    fn drop(&mut self) {
        DESK.with_borrow_mut(|desk| desk.forget(self.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::loops::Loops;

    const KEY: [u8; 32] = [7; 32];

    /// An answer with one hole, and what it is when it is signed alone.
    fn answer(id: &str) -> (Answer, Vec<u8>) {
        use agent_output_verifier::attest::Signer;
        use agent_output_verifier::json::Document;
        use agent_output_verifier::request::{Detail, Request};
        use agent_output_verifier::response::{Response, Subject};
        use agent_output_verifier::verify::verify;

        let key = SigningKey::from_seed(&KEY);
        let text = br#"{"task_id": "t", "expected_schema": {}, "submitted_output": 1}"#;
        let document = Document::parse(text).unwrap();
        let request = Request::parse(document.root()).unwrap();
        let report = verify(&request.requirements, request.output).unwrap();
        let subject = Subject {
            verification_id: id,
            task_id: "t",
            agent_id: None,
            output: request.output,
            verified_at: "2026-11-29T12:00:00.000000+00:00",
            detail: Detail::Compact,
        };
        let signer =
            Signer { key: &key, key_version: "k", public_key_url: None, service: None, mcp: None };
        let (mut unsigned, mut json, mut alone) = (Unsigned::default(), Vec::new(), Vec::new());
        let response = || Response::new(subject, &request.requirements, &report);
        signer.write(&mut response(), &mut unsigned, &mut json).unwrap();
        signer.sign(&mut response(), &mut alone).unwrap();
        ((unsigned, json), alone)
    }

    #[test]
    fn each_gets_its_own_however_many_there_are() {
        let key = SigningKey::from_seed(&KEY);
        let mut desk = Desk::default();
        let ids = ["a", "b", "c", "d"];
        let tickets = ids.map(|id| desk.hand_in(answer(id).0));
        desk.forget(tickets[1]);
        // The last is wanted first.
        for place in [3, 0] {
            assert_eq!(desk.collect(tickets[place], &key), answer(ids[place]).1);
        }
        desk.forget(tickets[2]);
        assert!(desk.signed.is_empty() && desk.waiting.0.is_empty() && desk.waiting.1.is_empty());
        let late = desk.hand_in(answer("e").0);
        assert_eq!(desk.collect(late, &key), answer("e").1);
    }

    #[test]
    fn an_answer_is_signed_whatever_thread_it_is_on() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let task = |id: &'static str| {
            let sender = sender.clone();
            async move {
                let signed = sign(&SigningKey::from_seed(&KEY), answer(id).0).await;
                sender.send((id, signed)).unwrap();
            }
        };
        let here = tokio::runtime::Builder::new_current_thread().build().unwrap();
        here.block_on(task("here"));
        let loops = Loops::start(1).unwrap();
        for id in ["a", "b", "c"] {
            loops.spawn(task(id));
        }
        for (id, signed) in receiver.iter().take(4) {
            assert_eq!(signed, answer(id).1);
        }
        loops.end();
    }
}
