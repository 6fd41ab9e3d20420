//! The ledger: what was checked for whom, and how it came out.
//!
//! One thread owns the file. What arrives while it writes is committed together, so that a wait for
//! the disk is shared by all who wait.

mod payments;
mod store;

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use agent_output_verifier::digest::Digest;
use agent_output_verifier::score::Tally;
use rusqlite::Connection;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};

pub(crate) use payments::{Attempt, Bought, Doubt, Holder, Settlement, Standing};
use store::Store;
pub(crate) use store::{Entry, OpenError};

/// Writes that one commit takes at most.
const MAX_GROUP: usize = 512;

/// Requests that wait for the ledger at most; more wait before they are let in.
const MAX_WAITING: usize = 4096;

/// Where the ledger is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    File(PathBuf),
    Memory,
}

impl Place {
    fn path(&self) -> Option<&Path> {
        match self {
            Place::File(path) => Some(path),
            Place::Memory => None,
        }
    }
}

/// The ledger could not do what was asked. Why is in the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Unavailable;

type Reply<T> = oneshot::Sender<Result<T, Unavailable>>;

enum Ask {
    Write(Write, Reply<()>),
    Tally(String, Reply<Tally>),
    Reserve(Digest, Holder, Reply<Standing>),
    Release(Digest),
    Doubts(Reply<Vec<Doubt>>),
    Health(Reply<()>),
}

/// What changes the file.
enum Write {
    Record(Box<Entry>),
    Settling(Box<Attempt>),
    Settled(Digest, Settlement, i64),
    Unsettled(Digest),
    /// Ends the reservation too.
    Answered(Digest, i64),
}

impl Write {
    fn apply(&self, connection: &Connection) -> rusqlite::Result<()> {
        match self {
            Write::Record(entry) => store::record(connection, entry),
            Write::Settling(attempt) => payments::settling(connection, attempt),
            Write::Settled(key, settlement, at) => {
                payments::settled(connection, key, settlement, *at)
            }
            Write::Unsettled(key) => payments::unsettled(connection, key),
            Write::Answered(key, at) => payments::answered(connection, key, *at),
        }
    }
}

/// The way to the ledger's thread.
#[derive(Clone)]
pub(crate) struct Ledger {
    asks: mpsc::Sender<Ask>,
}

/// The ledger's thread. It ends when no [`Ledger`] is left and all that was asked is done.
pub(crate) struct Keeper {
    thread: JoinHandle<()>,
}

impl Keeper {
    /// Waits for the end of the thread.
    pub(crate) fn join(self) {
        if self.thread.join().is_err() {
            tracing::error!("the ledger's thread ended badly");
        }
    }
}

impl Ledger {
    /// Opens the ledger and starts its thread. For payments it has to be this server's alone.
    pub(crate) fn open(place: &Place, payments: bool) -> Result<(Ledger, Keeper), OpenError> {
        let store = Store::open(place.path())?;
        let lock = match place.path() {
            Some(path) if payments => Some(lock(path)?),
            _ => None,
        };
        let (asks, queue) = mpsc::channel(MAX_WAITING);
        let thread = std::thread::Builder::new()
            .name("ledger".to_owned())
            .spawn(move || {
                keep(store, queue);
                drop(lock);
            })
            .map_err(OpenError::Thread)?;
        Ok((Ledger { asks }, Keeper { thread }))
    }

    /// Records a check. It is on the disk when this returns.
    pub(crate) async fn record(&self, entry: Entry) -> Result<(), Unavailable> {
        self.write(Write::Record(Box::new(entry))).await
    }

    /// What is known of an agent.
    pub(crate) async fn tally(&self, agent_id: &str) -> Result<Tally, Unavailable> {
        self.ask(|reply| Ask::Tally(agent_id.to_owned(), reply)).await
    }

    /// Reserves a payment, unless it is used or in use. The reservation is in memory:
    /// it lasts until [`release`](Ledger::release) or [`answered`](Ledger::answered).
    pub(crate) async fn reserve(
        &self,
        key: Digest,
        holder: Holder,
    ) -> Result<Standing, Unavailable> {
        self.ask(|reply| Ask::Reserve(key, holder, reply)).await
    }

    /// Ends a reservation.
    pub(crate) fn release(&self, key: Digest) {
        self.ask_later(Ask::Release(key));
    }

    /// Writes down that a settlement is about to be asked for.
    pub(crate) async fn settling(&self, attempt: Attempt) -> Result<(), Unavailable> {
        self.write(Write::Settling(Box::new(attempt))).await
    }

    /// Marks a payment as settled and records what it bought, in one commit.
    pub(crate) async fn settled(
        &self,
        key: Digest,
        settlement: Settlement,
        at: i64,
    ) -> Result<(), Unavailable> {
        self.write(Write::Settled(key, settlement, at)).await
    }

    /// Forgets a payment that was not settled.
    pub(crate) async fn unsettled(&self, key: Digest) -> Result<(), Unavailable> {
        self.write(Write::Unsettled(key)).await
    }

    /// Notes that what a payment bought was handed over, and then ends its reservation.
    pub(crate) fn answered(&self, key: Digest, at: i64) {
        let (reply, _) = oneshot::channel();
        self.ask_later(Ask::Write(Write::Answered(key, at), reply));
    }

    /// Settlements whose outcome is not known.
    pub(crate) async fn doubts(&self) -> Result<Vec<Doubt>, Unavailable> {
        self.ask(Ask::Doubts).await
    }

    /// Whether it can be read and, as far as is known, written. Where the last write failed, one is
    /// tried.
    pub(crate) async fn healthy(&self) -> Result<(), Unavailable> {
        self.ask(Ask::Health).await
    }

    async fn write(&self, write: Write) -> Result<(), Unavailable> {
        self.ask(|reply| Ask::Write(write, reply)).await
    }

    async fn ask<T>(&self, ask: impl FnOnce(Reply<T>) -> Ask) -> Result<T, Unavailable> {
        let (reply, answer) = oneshot::channel();
        self.asks.send(ask(reply)).await.map_err(|_| Unavailable)?;
        answer.await.map_err(|_| Unavailable)?
    }

    /// Without waiting, also where nothing can be awaited. What is not done because the process
    /// ends is as if the process had ended before.
    fn ask_later(&self, ask: Ask) {
        if let Err(TrySendError::Full(ask)) = self.asks.try_send(ask)
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let asks = self.asks.clone();
            runtime.spawn(async move { asks.send(ask).await.is_ok() });
        }
    }
}

/// Makes sure that no other server takes payments with a ledger: each keeps its reservations to
/// itself. The system lets go of the lock when the process ends, however it does. The lock is on a
/// file of its own, as SQLite has locks on the ledger.
fn lock(ledger: &Path) -> Result<File, OpenError> {
    // One file however it is called.
    let mut name = OsString::from(std::fs::canonicalize(ledger).map_err(OpenError::Lock)?);
    name.push("-payments.lock");
    let mut options = File::options();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        // A link in its place would have a file made where it leads.
        options.mode(0o600).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    }
    let file = options.open(name).map_err(OpenError::Lock)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(OpenError::InUse),
        Err(TryLockError::Error(error)) => Err(OpenError::Lock(error)),
    }
}

/// The thread: takes what has arrived, commits it, answers.
fn keep(mut store: Store, mut queue: mpsc::Receiver<Ask>) {
    let mut group = Vec::new();
    let mut reserved = HashMap::new();
    let mut writable = true;
    while let Some(first) = queue.blocking_recv() {
        group.push(first);
        while group.len() < MAX_GROUP
            && let Ok(next) = queue.try_recv()
        {
            group.push(next);
        }
        let written = commit(&mut store, &group);
        if let Some(written) = written {
            writable = written.is_ok();
        }
        let written = written.unwrap_or(Ok(()));
        // Nobody may be left to hear the answer.
        for ask in group.drain(..) {
            match ask {
                Ask::Write(write, reply) => {
                    // What could not be noted stays reserved: it was handed over all the same.
                    if let (Write::Answered(key, _), Ok(())) = (&write, written) {
                        reserved.remove(key);
                    }
                    let _ = reply.send(written);
                }
                Ask::Tally(agent_id, reply) => {
                    let _ = reply.send(read(store.tally(&agent_id)));
                }
                Ask::Reserve(key, holder, reply) => {
                    let standing = match reserved.get(&key) {
                        Some(holder) => Ok(Standing::InUse(*holder)),
                        None => read(payments::standing(store.connection(), &key)),
                    };
                    let free = !matches!(
                        standing,
                        Ok(Standing::Used | Standing::InUse(_)) | Err(Unavailable)
                    );
                    if free {
                        reserved.insert(key, holder);
                    }
                    // Who has left cannot release it.
                    if reply.send(standing).is_err() && free {
                        reserved.remove(&key);
                    }
                }
                Ask::Release(key) => {
                    reserved.remove(&key);
                }
                Ask::Doubts(reply) => {
                    let _ = reply.send(read(payments::doubts(store.connection())));
                }
                Ask::Health(reply) => {
                    if !writable {
                        writable = wrote(store.commit(store::try_out)).is_ok();
                    }
                    let health = if writable { read(store.tally("")) } else { Err(Unavailable) };
                    let _ = reply.send(health.map(drop));
                }
            }
        }
    }
}

/// Commits all writes of a group together; none where there are none.
fn commit(store: &mut Store, group: &[Ask]) -> Option<Result<(), Unavailable>> {
    let writes = || {
        group.iter().filter_map(|ask| match ask {
            Ask::Write(write, _) => Some(write),
            _ => None,
        })
    };
    writes().next()?;
    Some(wrote(store.commit(|connection| writes().try_for_each(|write| write.apply(connection)))))
}

fn wrote(written: rusqlite::Result<()>) -> Result<(), Unavailable> {
    written.map_err(|error| {
        tracing::error!(error = %error, "the ledger could not be written");
        Unavailable
    })
}

fn read<T>(found: rusqlite::Result<T>) -> Result<T, Unavailable> {
    found.map_err(|error| {
        tracing::error!(error = %error, "the ledger could not be read");
        Unavailable
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payment_is_one_calls_at_a_time() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (ledger, keeper) = Ledger::open(&Place::Memory, true).unwrap();
        runtime.block_on(async {
            let key = Digest::of_bytes(b"k");
            let (call, resolver) = (Holder::Call, Holder::Resolver);
            assert_eq!(ledger.reserve(key, call).await, Ok(Standing::Fresh));
            assert_eq!(ledger.reserve(key, resolver).await, Ok(Standing::InUse(call)));
            assert_eq!(ledger.reserve(Digest::of_bytes(b"l"), call).await, Ok(Standing::Fresh));
            ledger.release(key);
            assert_eq!(ledger.reserve(key, resolver).await, Ok(Standing::Fresh));
            assert_eq!(ledger.reserve(key, call).await, Ok(Standing::InUse(resolver)));
        });
        drop(ledger);
        keeper.join();
    }

    #[test]
    fn one_server_alone_takes_payments_with_a_ledger() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger");
        let place = Place::File(path);
        let (first, keeper) = Ledger::open(&place, true).unwrap();
        assert!(matches!(Ledger::open(&place, true), Err(OpenError::InUse)));
        assert!(Ledger::open(&place, false).is_ok());
        drop(first);
        keeper.join();
        assert!(Ledger::open(&place, true).is_ok());
    }
}
