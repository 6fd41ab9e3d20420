//! The payments in the ledger's file.
//!
//! A row is there from before the facilitator is asked to settle. Until `settled_at` is set, its
//! outcome is not known for certain; from `answered_at` on, what was bought has been handed over.

use agent_output_verifier::digest::Digest;
use agent_output_verifier::report::Verdict;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::store::{Entry, record};

/// A settlement about to be asked for.
#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    pub(crate) key: Digest,
    pub(crate) network: &'static str,
    pub(crate) asset: &'static str,
    pub(crate) pay_to: String,
    pub(crate) amount: u64,
    pub(crate) payer: Option<String>,
    /// Of what proves that it is the payer's
    pub(crate) proof: Digest,
    pub(crate) bought: Bought,
    /// Microseconds since the Unix epoch
    pub(crate) started_at: i64,
    /// What the facilitator is asked
    pub(crate) question: String,
    /// What is recorded once it is settled
    pub(crate) entry: Option<Entry>,
}

/// What a payment buys: enough to give the same answer to the same request again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Bought {
    /// `check` or `score`
    pub(crate) good: &'static str,
    pub(crate) request_hash: Digest,
    /// The id and the time of a check
    pub(crate) made: Option<(String, i64)>,
}

/// How a payment was settled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Settlement {
    pub(crate) network: String,
    /// Empty where it is not known
    pub(crate) transaction: String,
    pub(crate) payer: Option<String>,
}

/// What is known of a payment that is offered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Standing {
    /// Nothing
    Fresh,
    /// It may have been settled, and has bought nothing yet. It came with this proof.
    InDoubt(Digest),
    /// It was settled, and the answer was never handed over. It came with this proof.
    Unanswered(Digest, Bought, Settlement),
    /// It was settled, and has bought an answer.
    Used,
    /// It is reserved already.
    InUse(Holder),
}

/// What a payment is reserved for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Holder {
    /// A call that pays with it
    Call,
    /// Finding out what became of its settlement
    Resolver,
}

/// A settlement whose outcome is not known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Doubt {
    pub(crate) key: Digest,
    pub(crate) question: String,
    pub(crate) started_at: i64,
    /// For the log
    pub(crate) network: String,
    pub(crate) payer: Option<String>,
}

/// What the file knows of a payment.
pub(super) fn standing(connection: &Connection, key: &Digest) -> rusqlite::Result<Standing> {
    let mut select = connection.prepare_cached(
        "SELECT settled_at, answered_at, good, request_hash, verification_id, verified_at, \
         network, transaction_id, payer, proof FROM payment WHERE payment_key = ?1",
    )?;
    let found = select.query_row([key.as_bytes()], |row| {
        if row.get::<_, Option<i64>>(0)?.is_none() {
            return Ok(Standing::InDoubt(digest(row, 9)?));
        }
        if row.get::<_, Option<i64>>(1)?.is_some() {
            return Ok(Standing::Used);
        }
        let good: String = row.get(2)?;
        let made: (Option<String>, Option<i64>) = (row.get(4)?, row.get(5)?);
        let bought = Bought {
            good: if good == "score" { "score" } else { "check" },
            request_hash: digest(row, 3)?,
            made: made.0.zip(made.1),
        };
        let settlement = Settlement {
            network: row.get(6)?,
            transaction: row.get::<_, Option<String>>(7)?.unwrap_or_default(),
            payer: row.get(8)?,
        };
        Ok(Standing::Unanswered(digest(row, 9)?, bought, settlement))
    });
    Ok(found.optional()?.unwrap_or(Standing::Fresh))
}

/// Writes down a settlement that is about to be asked for. One in doubt is for the new purchase
/// from now on: it has bought nothing yet.
pub(super) fn settling(connection: &Connection, attempt: &Attempt) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO payment (payment_key, network, asset, pay_to, amount, payer, good, \
         request_hash, verification_id, verified_at, started_at, question, agent_id, passed, \
         output_hash, schema_hash, rules_hash, proof) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18) \
         ON CONFLICT (payment_key) DO UPDATE SET pay_to = excluded.pay_to, \
         amount = excluded.amount, payer = excluded.payer, good = excluded.good, \
         request_hash = excluded.request_hash, verification_id = excluded.verification_id, \
         verified_at = excluded.verified_at, started_at = excluded.started_at, \
         question = excluded.question, agent_id = excluded.agent_id, passed = excluded.passed, \
         output_hash = excluded.output_hash, schema_hash = excluded.schema_hash, \
         rules_hash = excluded.rules_hash WHERE settled_at IS NULL",
    )?;
    let made = attempt.bought.made.as_ref();
    let entry = attempt.entry.as_ref();
    insert.execute(params![
        attempt.key.as_bytes(),
        attempt.network,
        attempt.asset,
        attempt.pay_to,
        attempt.amount,
        attempt.payer,
        attempt.bought.good,
        attempt.bought.request_hash.as_bytes(),
        made.map(|(id, _)| id),
        made.map(|(_, at)| at),
        attempt.started_at,
        attempt.question,
        entry.map(|entry| &entry.agent_id),
        entry.map(|entry| entry.verdict == Verdict::Pass),
        entry.map(|entry| entry.output_hash.as_bytes()),
        entry.map(|entry| entry.schema_hash.as_bytes()),
        entry.map(|entry| entry.rules_hash.as_bytes()),
        attempt.proof.as_bytes(),
    ])?;
    Ok(())
}

/// Marks a payment as settled, and records the check that it bought. What was kept for that alone
/// is let go.
pub(super) fn settled(
    connection: &Connection,
    key: &Digest,
    settlement: &Settlement,
    at: i64,
) -> rusqlite::Result<()> {
    let mut select = connection.prepare_cached(
        "SELECT agent_id, passed, output_hash, schema_hash, rules_hash, request_hash, \
         verification_id, verified_at FROM payment \
         WHERE payment_key = ?1 AND settled_at IS NULL",
    )?;
    let found = select.query_row([key.as_bytes()], |row| {
        let Some(agent_id) = row.get(0)? else { return Ok(None) };
        Ok(Some(Entry {
            agent_id,
            verdict: if row.get(1)? { Verdict::Pass } else { Verdict::Fail },
            output_hash: digest(row, 2)?,
            schema_hash: digest(row, 3)?,
            rules_hash: digest(row, 4)?,
            request_hash: digest(row, 5)?,
            verification_id: row.get(6)?,
            verified_at: row.get(7)?,
        }))
    });
    let Some(entry) = found.optional()? else { return Ok(()) };
    if let Some(entry) = entry {
        record(connection, &entry)?;
    }
    let mut update = connection.prepare_cached(
        "UPDATE payment SET settled_at = ?2, transaction_id = ?3, payer = coalesce(?4, payer), \
         question = NULL, agent_id = NULL, passed = NULL, output_hash = NULL, schema_hash = NULL, \
         rules_hash = NULL WHERE payment_key = ?1",
    )?;
    update.execute(params![key.as_bytes(), at, settlement.transaction, settlement.payer])?;
    Ok(())
}

/// Forgets a payment that was not settled.
pub(super) fn unsettled(connection: &Connection, key: &Digest) -> rusqlite::Result<()> {
    let sql = "DELETE FROM payment WHERE payment_key = ?1 AND settled_at IS NULL";
    connection.prepare_cached(sql)?.execute([key.as_bytes()])?;
    Ok(())
}

/// Notes that what a payment bought was handed over.
pub(super) fn answered(connection: &Connection, key: &Digest, at: i64) -> rusqlite::Result<()> {
    let sql = "UPDATE payment SET answered_at = ?2 \
               WHERE payment_key = ?1 AND settled_at IS NOT NULL AND answered_at IS NULL";
    connection.prepare_cached(sql)?.execute(params![key.as_bytes(), at])?;
    Ok(())
}

/// All settlements whose outcome is not known.
pub(super) fn doubts(connection: &Connection) -> rusqlite::Result<Vec<Doubt>> {
    let mut select = connection.prepare_cached(
        "SELECT payment_key, question, started_at, network, payer FROM payment \
         WHERE settled_at IS NULL ORDER BY started_at",
    )?;
    let doubts = select.query_map([], |row| {
        Ok(Doubt {
            key: digest(row, 0)?,
            question: row.get::<_, Option<String>>(1)?.unwrap_or_default(),
            started_at: row.get(2)?,
            network: row.get(3)?,
            payer: row.get(4)?,
        })
    })?;
    doubts.collect()
}

fn digest(row: &Row<'_>, column: usize) -> rusqlite::Result<Digest> {
    row.get::<_, [u8; 32]>(column).map(Digest::from)
}

#[cfg(test)]
mod tests {
    use super::super::store::Store;
    use super::*;

    fn key(text: &str) -> Digest {
        Digest::of_bytes(text.as_bytes())
    }

    fn attempt(payment: &str, id: &str) -> Attempt {
        let hash = key("hash");
        let entry = Entry {
            verification_id: id.to_owned(),
            verified_at: 7,
            agent_id: "a".to_owned(),
            verdict: Verdict::Fail,
            output_hash: hash,
            schema_hash: hash,
            rules_hash: hash,
            request_hash: key("request"),
        };
        Attempt {
            key: key(payment),
            network: "n",
            asset: "x",
            pay_to: "p".to_owned(),
            amount: 20_000,
            payer: None,
            proof: key("proof"),
            bought: Bought {
                good: "check",
                request_hash: key("request"),
                made: Some((id.to_owned(), 7)),
            },
            started_at: 1,
            question: "{}".to_owned(),
            entry: Some(entry),
        }
    }

    fn settlement() -> Settlement {
        Settlement {
            network: "n".to_owned(),
            transaction: "t".to_owned(),
            payer: Some("b".to_owned()),
        }
    }

    #[test]
    fn a_payment_is_settled_once_and_recorded_with_that() {
        let mut store = Store::open(None).unwrap();
        let known = |store: &Store| standing(store.connection(), &key("k")).unwrap();
        assert_eq!(known(&store), Standing::Fresh);
        store.commit(|connection| settling(connection, &attempt("k", "i"))).unwrap();
        assert_eq!(known(&store), Standing::InDoubt(key("proof")));
        assert_eq!(store.tally("a").unwrap().total(), 0);
        let doubt = &doubts(store.connection()).unwrap()[0];
        assert_eq!((doubt.key, doubt.question.as_str()), (key("k"), "{}"));

        for _ in 0..2 {
            store.commit(|c| settled(c, &key("k"), &settlement(), 2)).unwrap();
            assert_eq!(
                known(&store),
                Standing::Unanswered(key("proof"), attempt("k", "i").bought, settlement())
            );
            assert_eq!(store.tally("a").unwrap().failed, 1);
        }
        assert_eq!(doubts(store.connection()).unwrap(), []);
        // Neither is it settled anew, nor forgotten.
        store.commit(|c| settling(c, &attempt("k", "j"))).unwrap();
        store.commit(|c| unsettled(c, &key("k"))).unwrap();
        assert_eq!(
            known(&store),
            Standing::Unanswered(key("proof"), attempt("k", "i").bought, settlement())
        );
        store.commit(|c| answered(c, &key("k"), 3)).unwrap();
        assert_eq!(known(&store), Standing::Used);
    }

    #[test]
    fn what_is_in_doubt_can_buy_something_else() {
        let mut store = Store::open(None).unwrap();
        store.commit(|c| settling(c, &attempt("k", "i"))).unwrap();
        store.commit(|c| settling(c, &attempt("k", "j"))).unwrap();
        store.commit(|c| settled(c, &key("k"), &settlement(), 2)).unwrap();
        let bought = attempt("k", "j").bought;
        let known = standing(store.connection(), &key("k")).unwrap();
        assert_eq!(known, Standing::Unanswered(key("proof"), bought, settlement()));
        assert_eq!(store.tally("a").unwrap().total(), 1);
    }

    #[test]
    fn what_was_not_settled_leaves_nothing() {
        let mut store = Store::open(None).unwrap();
        store.commit(|c| settling(c, &attempt("k", "i"))).unwrap();
        // An answer that was not paid for is not one.
        store.commit(|c| answered(c, &key("k"), 3)).unwrap();
        let known = standing(store.connection(), &key("k")).unwrap();
        assert_eq!(known, Standing::InDoubt(key("proof")));
        store.commit(|c| unsettled(c, &key("k"))).unwrap();
        assert_eq!(standing(store.connection(), &key("k")).unwrap(), Standing::Fresh);
        assert_eq!(store.tally("a").unwrap().total(), 0);
    }

    #[test]
    fn nothing_is_recorded_of_who_has_no_name() {
        let mut store = Store::open(None).unwrap();
        let nameless = Attempt { entry: None, ..attempt("k", "i") };
        store.commit(|c| settling(c, &nameless)).unwrap();
        store.commit(|c| settled(c, &key("k"), &settlement(), 2)).unwrap();
        assert_eq!(store.tally("a").unwrap().total(), 0);
        let known = standing(store.connection(), &key("k")).unwrap();
        assert!(matches!(known, Standing::Unanswered(..)));
    }
}
