//! The threads that serve connections, and values of which each of them has its own.
//!
//! This module does not know what is served.

mod computing;
mod per_thread;
mod placement;
mod serving;

pub(crate) use computing::Computing;
pub(crate) use per_thread::PerThread;
pub(crate) use placement::{AssignedThread, Placement};
pub use serving::ServingThreads;
