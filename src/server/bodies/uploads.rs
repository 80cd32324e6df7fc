//! Bodies that stream to the site, and the pauses of their clients.

use std::sync::Arc;
use std::task::Context;

use parking_lot::Mutex;

use super::pause::{GivenUp, Pauses};
use super::waiting_bodies::BodyId;

/// The uploads that hold places of one kind; clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Uploads(Arc<Mutex<Pauses>>);

/// One upload, until it is dropped.
#[derive(Debug)]
pub(crate) struct Upload {
    uploads: Uploads,
    id: BodyId,
    bytes: usize,
    is_paused: bool,
}

// === impl Uploads ===

impl Uploads {
    /// Begins an upload.
    pub(crate) fn begin(&self) -> Upload {
        Upload {
            id: self.0.lock().number(),
            uploads: self.clone(),
            bytes: 0,
            is_paused: false,
        }
    }

    /// Gives up the slowest upload whose client has paused for half a second in total: another waits for its place.
    pub(crate) fn preempt(&self) {
        self.0.lock().give_up_slowest();
    }
}

// === impl Upload ===

impl Upload {
    /// Notes that the upload waits for its client; an error if it was given up.
    pub(crate) fn pauses(&mut self, cx: &Context<'_>) -> Result<(), GivenUp> {
        self.is_paused = true;
        self.uploads.0.lock().begin(self.id, self.bytes, cx)
    }

    /// Notes that the client has sent so many bytes, or that it has ended.
    pub(crate) fn resumes(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_add(bytes);
        if std::mem::take(&mut self.is_paused) {
            self.uploads.0.lock().end(self.id);
        }
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        self.uploads.0.lock().forget(self.id);
    }
}
