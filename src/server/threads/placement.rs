//! The choice of a thread for each connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::runtime::Handle;

use super::per_thread::index;

/// The descriptors of one runtime: its queue of events twice, one that wakes it, and one for signals.
const DESCRIPTORS: usize = 4;

/// The number of connections that the thread which accepts may have more than another before it gives one away.
///
/// Two threads that share some 64 connections at random differ by as much. A thread that gets a connection has to be
/// woken, which takes longer than a kept response: connections of one request are best served where they are accepted.
const SPREAD: usize = 8;

/// Shares connections out to the serving threads by their number; clones share the counts.
///
/// The default has no threads: connections stay on the runtime that accepts them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Placement(Arc<[Arc<ServingThread>]>);

#[derive(Debug)]
struct ServingThread {
    index: usize,
    runtime: Handle,
    connections: AtomicUsize,
}

/// The thread of one connection, which counts it until this is dropped.
#[derive(Debug)]
pub(crate) struct AssignedThread(Arc<ServingThread>);

// === impl Placement ===

impl Placement {
    pub(super) fn over(runtimes: impl IntoIterator<Item = Handle>) -> Self {
        let runtimes = runtimes.into_iter().enumerate();
        let threads = runtimes.map(|(index, runtime)| ServingThread {
            index,
            runtime,
            connections: AtomicUsize::new(0),
        });
        Self(threads.map(Arc::new).collect())
    }

    /// The number of serving threads.
    pub(crate) fn threads(&self) -> usize {
        self.0.len()
    }

    /// The number of descriptors that the runtimes of the threads hold.
    pub(crate) fn descriptors(&self) -> usize {
        self.threads() * DESCRIPTORS
    }

    /// The runtimes of the serving threads.
    pub(crate) fn runtimes(&self) -> impl Iterator<Item = &Handle> + Clone {
        self.0.iter().map(|thread| &thread.runtime)
    }

    /// The current thread if it serves and has not many more connections than another, else the thread that has the
    /// fewest; `None` where there are no threads.
    pub(crate) fn assign(&self) -> Option<AssignedThread> {
        // Only counted: nothing else is read because of these numbers.
        let connections = |thread: &&Arc<ServingThread>| thread.connections.load(Ordering::Relaxed);
        let fewest = self.0.iter().min_by_key(connections)?;
        let own = index().and_then(|index| self.0.get(index));
        let own = own.filter(|own| connections(own) < connections(&fewest) + SPREAD);
        let thread = own.unwrap_or(fewest);
        thread.connections.fetch_add(1, Ordering::Relaxed);
        Some(AssignedThread(Arc::clone(thread)))
    }
}

// === impl AssignedThread ===

impl AssignedThread {
    /// The runtime of the thread; `None` for the current thread.
    pub(crate) fn other_runtime(&self) -> Option<&Handle> {
        (index() != Some(self.0.index)).then_some(&self.0.runtime)
    }
}

impl Drop for AssignedThread {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}
