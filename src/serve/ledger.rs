//! The ledger: what was checked for whom, and how it came out.
//!
//! One thread owns the file. What arrives while it writes is committed together, so that a wait for
//! the disk is shared by all who wait.

mod store;

use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use agent_output_verifier::score::Tally;
use tokio::sync::{mpsc, oneshot};

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
    Record(Box<Entry>, Reply<()>),
    Tally(String, Reply<Tally>),
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
    /// Opens the ledger and starts its thread.
    pub(crate) fn open(place: &Place) -> Result<(Ledger, Keeper), OpenError> {
        let store = Store::open(place.path())?;
        let (asks, queue) = mpsc::channel(MAX_WAITING);
        let thread = std::thread::Builder::new()
            .name("ledger".to_owned())
            .spawn(move || keep(store, queue))
            .map_err(OpenError::Thread)?;
        Ok((Ledger { asks }, Keeper { thread }))
    }

    /// Records a check. It is on the disk when this returns.
    pub(crate) async fn record(&self, entry: Entry) -> Result<(), Unavailable> {
        self.ask(|reply| Ask::Record(Box::new(entry), reply)).await
    }

    /// What is known of an agent.
    pub(crate) async fn tally(&self, agent_id: &str) -> Result<Tally, Unavailable> {
        self.ask(|reply| Ask::Tally(agent_id.to_owned(), reply)).await
    }

    async fn ask<T>(&self, ask: impl FnOnce(Reply<T>) -> Ask) -> Result<T, Unavailable> {
        let (reply, answer) = oneshot::channel();
        self.asks.send(ask(reply)).await.map_err(|_| Unavailable)?;
        answer.await.map_err(|_| Unavailable)?
    }
}

/// The thread: takes what has arrived, commits it, answers.
fn keep(mut store: Store, mut queue: mpsc::Receiver<Ask>) {
    let mut group = Vec::new();
    while let Some(first) = queue.blocking_recv() {
        group.push(first);
        while group.len() < MAX_GROUP
            && let Ok(next) = queue.try_recv()
        {
            group.push(next);
        }
        let entries = || {
            group.iter().filter_map(|ask| match ask {
                Ask::Record(entry, _) => Some(entry),
                Ask::Tally(..) => None,
            })
        };
        let recorded = if entries().next().is_none() {
            Ok(())
        } else {
            let written = store.commit(|connection| {
                entries().try_for_each(|entry| store::record(connection, entry))
            });
            written.map_err(|error| {
                tracing::error!(error = %error, "the ledger could not be written");
                Unavailable
            })
        };
        // Nobody may be left to hear the answer.
        for ask in group.drain(..) {
            match ask {
                Ask::Record(_, reply) => {
                    let _ = reply.send(recorded);
                }
                Ask::Tally(agent_id, reply) => {
                    let tally = store.tally(&agent_id).map_err(|error| {
                        tracing::error!(error = %error, "the ledger could not be read");
                        Unavailable
                    });
                    let _ = reply.send(tally);
                }
            }
        }
    }
}
