//! Work on many threads, results in the order of the jobs, memory bounded.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Jobs that may be under way for each worker.
const AHEAD: usize = 3;

/// Stack of a worker: evaluation goes down a bounded number of levels, which fit twice over.
const STACK: usize = 8 * 1024 * 1024;

/// Hands the jobs of `next` to `workers` threads and their results, in order, to `take`, until it
/// breaks. One worker is the calling thread itself.
pub(crate) fn run<J: Send, R: Send>(
    workers: usize,
    mut next: impl FnMut() -> Option<J> + Send,
    work: impl Fn(J) -> R + Sync,
    mut take: impl FnMut(R) -> ControlFlow<()>,
) {
    if workers <= 1 {
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
    let (send_job, jobs) = sync_channel::<(usize, J)>(ahead);
    let (send_result, results) = sync_channel::<(usize, R)>(ahead);
    let jobs = Mutex::new(jobs);
    let stopped = AtomicBool::new(false);
    for _ in 0..ahead {
        // There is room for all of them.
        let _ = give_permit.send(());
    }
    thread::scope(|scope| {
        let (stopped, jobs, work) = (&stopped, &jobs, &work);
        scope.spawn(move || read(&mut next, &send_job, &permits, stopped));
        let mut started = 0;
        for _ in 0..workers {
            let send_result = send_result.clone();
            let worker = thread::Builder::new().stack_size(STACK);
            let spawned = worker.spawn_scoped(scope, move || {
                while let Some((number, job)) = receive(jobs) {
                    if send_result.send((number, work(job))).is_err() {
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
            stopped.store(true, Ordering::Relaxed);
            return;
        }
        let mut waiting = BTreeMap::new();
        let mut wanted = 0;
        'results: for (number, result) in results {
            waiting.insert(number, result);
            while let Some(result) = waiting.remove(&wanted) {
                wanted += 1;
                if take(result).is_break() {
                    stopped.store(true, Ordering::Relaxed);
                    break 'results;
                }
                let _ = give_permit.send(());
            }
        }
        drop(give_permit);
    });
}

fn read<J>(
    next: &mut impl FnMut() -> Option<J>,
    send_job: &SyncSender<(usize, J)>,
    permits: &Receiver<()>,
    stopped: &AtomicBool,
) {
    let mut number = 0;
    while permits.recv().is_ok() && !stopped.load(Ordering::Relaxed) {
        let Some(job) = next() else { break };
        if send_job.send((number, job)).is_err() {
            break;
        }
        number += 1;
    }
}

fn receive<J>(jobs: &Mutex<Receiver<(usize, J)>>) -> Option<(usize, J)> {
    jobs.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_whatever_the_number_of_workers() {
        for workers in [1, 2, 7] {
            let mut jobs = 0..1000;
            let mut results = Vec::new();
            let work = |job: u64| {
                // Uneven work, so that threads overtake each other.
                (0..(job * 7919) % 5000).fold(job, |sum, n| std::hint::black_box(sum ^ n ^ n))
            };
            run(
                workers,
                || jobs.next(),
                work,
                |result| {
                    results.push(result);
                    ControlFlow::Continue(())
                },
            );
            assert_eq!(results, (0..1000).collect::<Vec<_>>());
        }
    }

    #[test]
    fn breaking_ends_the_run() {
        for workers in [1, 3] {
            let mut jobs = 0..1_000_000_000u64;
            let mut results = Vec::new();
            run(
                workers,
                || jobs.next(),
                |job| job,
                |result| {
                    results.push(result);
                    if result == 9 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                },
            );
            assert_eq!(results, (0..10).collect::<Vec<_>>());
        }
    }
}
