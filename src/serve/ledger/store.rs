//! The ledger's file: SQLite, its tables, and how older files become newer ones.

use std::path::Path;

use agent_output_verifier::digest::Digest;
use agent_output_verifier::report::Verdict;
use agent_output_verifier::score::Tally;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, TransactionBehavior, params};

/// What marks a file as a ledger: `aovL`.
const APPLICATION_ID: i32 = 0x616f_764c;

/// How long to wait for another process that writes to the same file.
const BUSY: std::time::Duration = std::time::Duration::from_secs(5);

/// The steps from an empty file to the current format. A file's `user_version` is how many of them
/// it has seen. They are never changed, only added to.
const MIGRATIONS: &[&str] = &[
    "
    CREATE TABLE verification (
        id INTEGER PRIMARY KEY,
        verification_id TEXT NOT NULL UNIQUE,
        -- Microseconds since the Unix epoch, here and below.
        verified_at INTEGER NOT NULL,
        agent_id TEXT NOT NULL,
        passed INTEGER NOT NULL CHECK (passed IN (0, 1)),
        output_hash BLOB NOT NULL,
        schema_hash BLOB NOT NULL,
        rules_hash BLOB NOT NULL,
        request_hash BLOB NOT NULL
    ) STRICT;
    CREATE INDEX verification_by_agent ON verification (agent_id, verified_at);
    -- What the rows of an agent come to, so that a look-up takes the same time for all of them.
    CREATE TABLE agent (
        agent_id TEXT PRIMARY KEY,
        passed INTEGER NOT NULL,
        failed INTEGER NOT NULL,
        first_seen INTEGER NOT NULL,
        last_seen INTEGER NOT NULL,
        weight REAL NOT NULL,
        weight_passed REAL NOT NULL,
        weight_squared REAL NOT NULL
    ) STRICT, WITHOUT ROWID;
    ",
    "
    CREATE TABLE payment (
        -- A hash of what can be spent only once.
        payment_key BLOB PRIMARY KEY,
        network TEXT NOT NULL,
        asset TEXT NOT NULL,
        pay_to TEXT NOT NULL,
        -- In atomic units of the asset.
        amount INTEGER NOT NULL,
        payer TEXT,
        -- A hash of what proves that it is the payer's.
        proof BLOB NOT NULL,
        good TEXT NOT NULL CHECK (good IN ('check', 'score')),
        request_hash BLOB NOT NULL,
        -- What the answer is known by; a score has none.
        verification_id TEXT,
        verified_at INTEGER,
        started_at INTEGER NOT NULL,
        -- While it is settling: what the facilitator was asked, and what is to be recorded.
        question TEXT,
        agent_id TEXT,
        passed INTEGER CHECK (passed IN (0, 1)),
        output_hash BLOB,
        schema_hash BLOB,
        rules_hash BLOB,
        -- From settlement on. The transaction is empty where the facilitator did not name it.
        settled_at INTEGER,
        transaction_id TEXT,
        answered_at INTEGER
    ) STRICT, WITHOUT ROWID;
    -- The few whose settlement or answer is open.
    CREATE INDEX payment_settling ON payment (started_at) WHERE settled_at IS NULL;
    ",
];

/// One check, as it is recorded: never the output.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) verification_id: String,
    /// Microseconds since the Unix epoch
    pub(crate) verified_at: i64,
    pub(crate) agent_id: String,
    pub(crate) verdict: Verdict,
    pub(crate) output_hash: Digest,
    pub(crate) schema_hash: Digest,
    pub(crate) rules_hash: Digest,
    pub(crate) request_hash: Digest,
}

/// Why a file cannot be the ledger.
#[derive(Debug)]
pub(crate) enum OpenError {
    /// It is something else, and stays as it is.
    NotALedger,
    /// A later version of this program made it, and it stays as it is.
    Newer {
        found: usize,
    },
    /// It is a link.
    Link,
    Sqlite(rusqlite::Error),
    /// There is no thread for it.
    Thread(std::io::Error),
    /// Another server takes payments with it.
    InUse,
    /// It cannot be kept for one server alone.
    Lock(std::io::Error),
}

impl From<rusqlite::Error> for OpenError {
    fn from(error: rusqlite::Error) -> OpenError {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::NotADatabase) => OpenError::NotALedger,
            _ => OpenError::Sqlite(error),
        }
    }
}

/// Opens or makes the file itself. A link in its place is refused: whoever can write the folder could
/// make it lead anywhere. (SQLite refuses links for what it puts beside it.)
fn open(path: &Path) -> Result<Connection, OpenError> {
    if path.is_symlink() {
        return Err(OpenError::Link);
    }
    #[cfg_attr(not(unix), expect(unused_mut))]
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    #[cfg_attr(not(unix), expect(unused_mut))]
    let mut place = path.to_owned();
    // SQLite means every folder on the way too; those may be links.
    #[cfg(unix)]
    if let (Some(folder), Some(name)) = (path.parent(), path.file_name()) {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        if let Ok(folder) = folder.canonicalize() {
            place = folder.join(name);
            // Also one that comes in its place only now.
            flags |= OpenFlags::SQLITE_OPEN_NOFOLLOW;
        }
    }
    Ok(Connection::open_with_flags(place, flags)?)
}

/// An open ledger.
pub(crate) struct Store {
    connection: Connection,
}

impl Store {
    /// Opens a file, or makes it; without a path, a ledger in memory.
    pub(crate) fn open(path: Option<&Path>) -> Result<Store, OpenError> {
        let mut connection = match path {
            Some(path) => open(path)?,
            None => Connection::open_in_memory()?,
        };
        connection.busy_timeout(BUSY)?;
        // Before anything is written: is it ours, and can we read it?
        let (application, version) = marks(&connection)?;
        let tables: i64 =
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        if application != APPLICATION_ID && (application != 0 || version != 0 || tables != 0) {
            return Err(OpenError::NotALedger);
        }
        refuse_newer(version)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        // A commit has reached the disk when it returns.
        connection.pragma_update(None, "synchronous", "FULL")?;
        migrate(&mut connection)?;
        Ok(Store { connection })
    }

    /// Runs `work` in one transaction; what it wrote is on the disk when this returns.
    pub(crate) fn commit<T>(
        &mut self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let value = work(&transaction)?;
        transaction.commit()?;
        Ok(value)
    }

    /// For reading.
    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// What is known of an agent.
    pub(crate) fn tally(&self, agent_id: &str) -> rusqlite::Result<Tally> {
        tally(&self.connection, agent_id)
    }
}

/// Writes an entry and takes it into its agent's tally.
pub(crate) fn record(connection: &Connection, entry: &Entry) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO verification (verification_id, verified_at, agent_id, passed, output_hash, \
         schema_hash, rules_hash, request_hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    insert.execute(params![
        entry.verification_id,
        entry.verified_at,
        entry.agent_id,
        entry.verdict == Verdict::Pass,
        entry.output_hash.as_bytes(),
        entry.schema_hash.as_bytes(),
        entry.rules_hash.as_bytes(),
        entry.request_hash.as_bytes(),
    ])?;
    let mut known = tally(connection, &entry.agent_id)?;
    known.add(entry.verified_at, entry.verdict);
    let mut replace = connection.prepare_cached(
        "INSERT OR REPLACE INTO agent (agent_id, passed, failed, first_seen, last_seen, weight, \
         weight_passed, weight_squared) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    replace.execute(params![
        entry.agent_id,
        known.passed,
        known.failed,
        known.first_seen,
        known.last_seen,
        known.weight,
        known.weight_passed,
        known.weight_squared,
    ])?;
    Ok(())
}

/// Writes what an entry writes, and takes it away again: the pages reach the disk, the entry nobody.
pub(crate) fn try_out(connection: &Connection) -> rusqlite::Result<()> {
    let hash = Digest::of_bytes(b"");
    // No agent and no check has an empty id.
    let entry = Entry {
        verification_id: String::new(),
        verified_at: 0,
        agent_id: String::new(),
        verdict: Verdict::Pass,
        output_hash: hash,
        schema_hash: hash,
        rules_hash: hash,
        request_hash: hash,
    };
    record(connection, &entry)?;
    for sql in [
        "DELETE FROM verification WHERE verification_id = ''",
        "DELETE FROM agent WHERE agent_id = ''",
    ] {
        connection.execute(sql, [])?;
    }
    Ok(())
}

fn tally(connection: &Connection, agent_id: &str) -> rusqlite::Result<Tally> {
    let mut select = connection.prepare_cached(
        "SELECT passed, failed, first_seen, last_seen, weight, weight_passed, weight_squared \
         FROM agent WHERE agent_id = ?1",
    )?;
    let found = select.query_row([agent_id], |row| {
        Ok(Tally {
            passed: row.get(0)?,
            failed: row.get(1)?,
            first_seen: row.get(2)?,
            last_seen: row.get(3)?,
            weight: row.get(4)?,
            weight_passed: row.get(5)?,
            weight_squared: row.get(6)?,
        })
    });
    Ok(found.optional()?.unwrap_or_default())
}

/// The application id and the format's version.
fn marks(connection: &Connection) -> rusqlite::Result<(i32, usize)> {
    let application = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let version = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok((application, version))
}

fn refuse_newer(version: usize) -> Result<(), OpenError> {
    if version > MIGRATIONS.len() {
        return Err(OpenError::Newer { found: version });
    }
    Ok(())
}

fn migrate(connection: &mut Connection) -> Result<(), OpenError> {
    // Even where there is nothing to do: a file that cannot be written shows it here.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have come first.
    let (_, version) = marks(&transaction)?;
    refuse_newer(version)?;
    for step in &MIGRATIONS[version..] {
        transaction.execute_batch(step)?;
    }
    if version < MIGRATIONS.len() {
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", MIGRATIONS.len())?;
    }
    transaction.commit()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: usize, verdict: Verdict) -> Entry {
        let hash = Digest::of_bytes(&number.to_be_bytes());
        Entry {
            verification_id: format!("id-{number}"),
            verified_at: number as i64,
            agent_id: "a".to_owned(),
            verdict,
            output_hash: hash,
            schema_hash: hash,
            rules_hash: hash,
            request_hash: hash,
        }
    }

    #[test]
    fn what_is_recorded_is_counted() {
        let mut store = Store::open(None).unwrap();
        store
            .commit(|connection| {
                record(connection, &entry(1, Verdict::Pass))?;
                record(connection, &entry(2, Verdict::Fail))
            })
            .unwrap();
        let tally = store.tally("a").unwrap();
        assert_eq!((tally.passed, tally.failed), (1, 1));
        assert_eq!((tally.first_seen, tally.last_seen), (1, 2));
        assert_eq!(store.tally("b").unwrap(), Tally::default());
    }

    #[test]
    fn a_commit_that_fails_leaves_nothing() {
        let mut store = Store::open(None).unwrap();
        let failed = store.commit(|connection| {
            record(connection, &entry(1, Verdict::Pass))?;
            record(connection, &entry(1, Verdict::Pass))
        });
        assert!(failed.is_err());
        assert_eq!(store.tally("a").unwrap(), Tally::default());
    }

    #[test]
    fn what_is_tried_out_leaves_nothing() {
        let mut store = Store::open(None).unwrap();
        store.commit(|connection| record(connection, &entry(1, Verdict::Pass))).unwrap();
        // Twice: the first leaves nothing that is in the second's way.
        store.commit(try_out).unwrap();
        store.commit(try_out).unwrap();
        for table in ["verification", "agent"] {
            let sql = format!("SELECT count(*) FROM {table}");
            let count: i64 = store.connection.query_row(&sql, [], |row| row.get(0)).unwrap();
            assert_eq!(count, 1, "{table}");
        }
    }

    #[test]
    fn a_file_is_opened_again_with_what_it_holds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger");
        let mut store = Store::open(Some(&path)).unwrap();
        store.commit(|connection| record(connection, &entry(1, Verdict::Pass))).unwrap();
        drop(store);
        assert_eq!(Store::open(Some(&path)).unwrap().tally("a").unwrap().passed, 1);
    }

    #[test]
    fn what_is_no_ledger_or_a_newer_one_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let text = "a text file, longer than a database's header has bytes in it".repeat(9);
        std::fs::write(&path, &text).unwrap();
        assert!(matches!(Store::open(Some(&path)), Err(OpenError::NotALedger)));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        let path = folder.path().join("other");
        let other = Connection::open(&path).unwrap();
        other.execute_batch("CREATE TABLE t (x)").unwrap();
        drop(other);
        assert!(matches!(Store::open(Some(&path)), Err(OpenError::NotALedger)));

        let path = folder.path().join("newer");
        drop(Store::open(Some(&path)).unwrap());
        let newer = Connection::open(&path).unwrap();
        newer.pragma_update(None, "user_version", MIGRATIONS.len() + 1).unwrap();
        drop(newer);
        let before = std::fs::read(&path).unwrap();
        assert!(matches!(
            Store::open(Some(&path)),
            Err(OpenError::Newer { found }) if found == MIGRATIONS.len() + 1
        ));
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }

    #[test]
    fn every_older_format_becomes_the_current_one() {
        let folder = tempfile::tempdir().unwrap();
        for version in 0..MIGRATIONS.len() {
            let path = folder.path().join(format!("v{version}"));
            let old = Connection::open(&path).unwrap();
            for step in &MIGRATIONS[..version] {
                old.execute_batch(step).unwrap();
            }
            if version > 0 {
                old.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
                old.pragma_update(None, "user_version", version).unwrap();
            }
            drop(old);
            let store = Store::open(Some(&path)).unwrap();
            assert_eq!(marks(&store.connection).unwrap(), (APPLICATION_ID, MIGRATIONS.len()));
        }
    }
}
