//! Work on many threads, results in the order of the jobs, memory bounded.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Jobs that may be under way for each worker.
const AHEAD: usize = 3;

/// Stack of a worker: evaluation goes down a bounded number of levels, which fit twice over.
const STACK: usize = 8 * 1024 * 1024;

/// How often a run that waits for results looks whether it was interrupted.
const PATIENCE: Duration = Duration::from_millis(100);

/// Hands the jobs of `next` to `workers` threads and their results, in order, to `take`, until it
/// breaks or `interrupted` is set. Without workers the calling thread does the work.
///
/// The reader may be waiting for an input that never ends: a run that ends early leaves it behind.
pub(crate) fn run<J: Send + 'static, R: Send>(
    workers: usize,
    mut next: impl FnMut() -> Option<J> + Send + 'static,
    work: impl Fn(J) -> R + Sync,
    mut take: impl FnMut(R) -> ControlFlow<()>,
    interrupted: &AtomicBool,
) {
    if workers == 0 {
        while let Some(job) = next() {
            if take(work(job)).is_break() {
                break;
            }
        }
        return;
    }
    let ahead = workers * AHEAD;
    // A permit for each job under way: the reader waits for one, taking a result gives one back.
    let (give_permit, permits) = sync_channel::<()>(ahead);
    // `None` is the end, once for each worker.
    let (send_job, jobs) = sync_channel::<Option<(usize, J)>>(ahead + workers);
    let wake = send_job.clone();
    let (send_result, results) = sync_channel::<(usize, R)>(ahead);
    let jobs = Mutex::new(jobs);
    let stopped = Arc::new(AtomicBool::new(false));
    for _ in 0..ahead {
        // There is room for all of them.
        let _ = give_permit.send(());
    }
    let reader_stopped = Arc::clone(&stopped);
    thread::spawn(move || read(&mut next, &send_job, &permits, &reader_stopped, workers));
    thread::scope(|scope| {
        let (stopped, jobs, work) = (&*stopped, &jobs, &work);
        let mut started = 0;
        for _ in 0..workers {
            let send_result = send_result.clone();
            let worker = thread::Builder::new().stack_size(STACK);
            let spawned = worker.spawn_scoped(scope, move || {
                while let Some((number, job)) = receive(jobs) {
                    if stopped.load(Ordering::Relaxed)
                        || send_result.send((number, work(job))).is_err()
                    {
                        break;
                    }
                }
            });
            started += usize::from(spawned.is_ok());
        }
        drop(send_result);
        if started == 0 {
            // No thread could be had: do the work here.
            while let Some((_, job)) = receive(jobs) {
                if take(work(job)).is_break() {
                    break;
                }
                let _ = give_permit.send(());
            }
        } else {
            take_in_order(&results, &give_permit, &mut take, interrupted);
        }
        stopped.store(true, Ordering::Relaxed);
        // Workers that wait for a job get none; where there is no room for that, there are jobs.
        for _ in 0..workers {
            let _ = wake.try_send(None);
        }
        drop(results);
    });
}

fn take_in_order<R>(
    results: &Receiver<(usize, R)>,
    give_permit: &SyncSender<()>,
    take: &mut impl FnMut(R) -> ControlFlow<()>,
    interrupted: &AtomicBool,
) {
    let mut waiting = BTreeMap::new();
    let mut wanted = 0;
    while !interrupted.load(Ordering::Relaxed) {
        let (number, result) = match results.recv_timeout(PATIENCE) {
            Ok(numbered) => numbered,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        waiting.insert(number, result);
        while let Some(result) = waiting.remove(&wanted) {
            wanted += 1;
            if take(result).is_break() {
                return;
            }
            let _ = give_permit.send(());
        }
    }
}

fn read<J>(
    next: &mut impl FnMut() -> Option<J>,
    send_job: &SyncSender<Option<(usize, J)>>,
    permits: &Receiver<()>,
    stopped: &AtomicBool,
    workers: usize,
) {
    let mut number = 0;
    while permits.recv().is_ok() && !stopped.load(Ordering::Relaxed) {
        let Some(job) = next() else { break };
        if send_job.send(Some((number, job))).is_err() {
            return;
        }
        number += 1;
    }
    for _ in 0..workers {
        if send_job.send(None).is_err() {
            return;
        }
    }
}

fn receive<J>(jobs: &Mutex<Receiver<Option<(usize, J)>>>) -> Option<(usize, J)> {
    jobs.lock().unwrap_or_else(PoisonError::into_inner).recv().ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    static NOT_INTERRUPTED: AtomicBool = AtomicBool::new(false);

    #[test]
    fn results_come_in_order_whatever_the_number_of_workers() {
        for workers in [0, 1, 2, 7] {
            let mut jobs = 0..1000;
            let mut results = Vec::new();
            let work = |job: u64| {
                // Uneven work, so that threads overtake each other.
                (0..(job * 7919) % 5000).fold(job, |sum, n| std::hint::black_box(sum ^ n ^ n))
            };
            let take = |result| {
                results.push(result);
                ControlFlow::Continue(())
            };
            run(workers, move || jobs.next(), work, take, &NOT_INTERRUPTED);
            assert_eq!(results, (0..1000).collect::<Vec<_>>());
        }
    }

    #[test]
    fn breaking_ends_the_run() {
        for workers in [0, 1, 3] {
            let mut jobs = 0..1_000_000_000u64;
            let mut results = Vec::new();
            let take = |result| {
                results.push(result);
                if result == 9 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            run(workers, move || jobs.next(), |job| job, take, &NOT_INTERRUPTED);
            assert_eq!(results, (0..10).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_interrupted_run_ends_while_its_reader_waits() {
        let interrupted = AtomicBool::new(false);
        let (_keep, never) = sync_channel::<u64>(0);
        let mut first = Some(1);
        let next = move || first.take().or_else(|| never.recv().ok());
        let mut results = Vec::new();
        let take = |result| {
            results.push(result);
            interrupted.store(true, Ordering::Relaxed);
            ControlFlow::Continue(())
        };
        run(2, next, |job| job, take, &interrupted);
        assert_eq!(results, [1]);
    }
}
