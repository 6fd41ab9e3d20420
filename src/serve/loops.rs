//! The threads that answer connections, each with an event loop of its own. A connection stays with its
//! thread, so that no thread has to wake another for it; what would hold others up is done elsewhere.

use std::cell::Cell;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::thread::JoinHandle;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

thread_local! {
    static IS_ONE: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is an event loop of its own: what is begun here goes on here.
pub(super) fn is_one() -> bool {
    IS_ONE.get()
}

type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Event loops on threads of their own.
pub(super) struct Loops(Vec<EventLoop>);

struct EventLoop {
    tasks: UnboundedSender<Task>,
    thread: JoinHandle<()>,
    /// Held by each of its tasks, which so are counted.
    count: Arc<()>,
}

impl Loops {
    /// Starts so many.
    pub(super) fn start(count: usize) -> io::Result<Loops> {
        (0..count).map(|_| EventLoop::start()).collect::<io::Result<_>>().map(Loops)
    }

    /// Has a task done by the one that has the fewest.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let Some(fewest) = self.0.iter().min_by_key(|one| Arc::strong_count(&one.count)) else {
            return;
        };
        let counted = Arc::clone(&fewest.count);
        // It takes tasks until it is told to end.
        let _ = fewest.tasks.send(Box::pin(async move {
            task.await;
            drop(counted);
        }));
    }

    /// Ends them all. Tasks that are not done are cut.
    pub(super) fn end(self) {
        for EventLoop { tasks, thread, .. } in self.0 {
            drop(tasks);
            // What a task throws is caught where it runs.
            let _ = thread.join();
        }
    }
}

impl EventLoop {
    fn start() -> io::Result<EventLoop> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (tasks, given) = unbounded_channel();
        let thread =
            std::thread::Builder::new().name("connections".to_owned()).spawn(move || {
                IS_ONE.set(true);
                runtime.block_on(take(given));
                runtime.shutdown_background();
            })?;
        Ok(EventLoop { tasks, thread, count: Arc::new(()) })
    }
}

async fn take(mut given: UnboundedReceiver<Task>) {
    while let Some(task) = given.recv().await {
        tokio::spawn(task);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;

    use super::*;

    #[test]
    fn tasks_go_where_there_are_fewest_and_are_cut_at_the_end() {
        let loops = Loops::start(2).unwrap();
        let (send, receive) = channel();
        let endless = |send: std::sync::mpsc::Sender<_>| async move {
            let _ = send.send(Some(thread::current().id()));
            std::future::pending::<()>().await;
        };
        loops.spawn(endless(send.clone()));
        loops.spawn(endless(send.clone()));
        let threads = [receive.recv().unwrap(), receive.recv().unwrap()];
        assert_ne!(threads[0], threads[1]);
        // One that panics is the end of nothing but itself.
        loops.spawn(async { panic!("a task panics") });
        loops.spawn(async move {
            let _ = send.send(None);
        });
        assert_eq!(receive.recv(), Ok(None));
        loops.end();
        assert!(receive.recv().is_err(), "what held the sender is gone");
    }
}
