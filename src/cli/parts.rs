//! Reads one file in parts, on several threads.

use std::collections::VecDeque;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Mutex, PoisonError};

use draughts_pdn::parts::{Job, Joiner, PartChecker, ReadPart, Splitter};

/// Number of bytes of a part.
const PART_SIZE: usize = 256 * 1024;

/// Maximum number of threads of a file: each may hold a list of problems.
const MAX_THREADS: usize = 8;

/// Reads a file with a checker on this many threads; `read` passes the bytes of the file to its argument. Returns the checker behind the
/// last byte.
pub fn check<C: PartChecker>(
    mut checker: C,
    threads: usize,
    read: impl FnOnce(&mut dyn FnMut(&[u8])) -> anyhow::Result<()>,
) -> anyhow::Result<C> {
    if threads < 2 {
        read(&mut |bytes| checker.feed(bytes))?;
        return Ok(checker);
    }
    let threads = threads.min(MAX_THREADS);
    let (jobs, queue) = mpsc::channel();
    let queue = Mutex::new(queue);
    std::thread::scope(|scope| {
        // The threads end when this is dropped.
        let mut order = Order { joiner: Joiner::new(checker), jobs, pending: VecDeque::new() };
        let mut splitter = Splitter::new(PART_SIZE);
        let mut has_threads = false;
        read(&mut |bytes| {
            splitter.push(bytes);
            while let Some(part) = splitter.next_part() {
                let job = order.joiner.job(part);
                // The first part shows the encoding and the variant to the others.
                if !has_threads && !job.is_read_when_joined() {
                    has_threads = true;
                    (0..threads).for_each(|_| drop(scope.spawn(|| work(&queue))));
                }
                order.push(job, if has_threads { threads + 2 } else { 0 });
            }
        })?;
        order.join_pending(0);
        let last = order.joiner.job(splitter.last_part());
        order.joiner.join(last.run());
        Ok(order.joiner.into_checker())
    })
}

struct Task<C> {
    job: Job<C>,
    done: SyncSender<ReadPart<C>>,
}

/// Runs tasks until their sender is dropped.
fn work<C: PartChecker>(queue: &Mutex<Receiver<Task<C>>>) {
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Task { job, done }) = next else { return };
        // The other end leaves if the file cannot be read on.
        let _ = done.send(job.run());
    }
}

/// Parts in the order of the file.
struct Order<C> {
    joiner: Joiner<C>,
    jobs: Sender<Task<C>>,
    pending: VecDeque<Receiver<ReadPart<C>>>,
}

impl<C: PartChecker> Order<C> {
    /// Adds a part; then joins parts until only this many are pending.
    fn push(&mut self, job: Job<C>, room: usize) {
        if job.is_read_when_joined() && self.pending.is_empty() {
            self.joiner.join(job.run());
            return;
        }
        let (done, result) = mpsc::sync_channel(1);
        self.jobs.send(Task { job, done }).expect("the queue lives as long as its sender");
        self.pending.push_back(result);
        self.join_pending(room);
    }

    fn join_pending(&mut self, room: usize) {
        while self.pending.len() > room
            && let Some(result) = self.pending.pop_front()
        {
            self.joiner.join(result.recv().expect("a thread sends every part that it receives"));
        }
    }
}
