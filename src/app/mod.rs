//! The composition root: settings become listeners, stacks and tasks, are replaced while these run, and end in a
//! drain.

mod edge;
mod follow;
mod orders;
mod reload;
mod running;
mod watch;

pub use crate::backend::{ClientError, origin_tls};
pub use crate::server::{BindError, BoundAddress, Pair, PairError, raise_descriptor_limit};
pub use edge::{Edge, ServeError, StartError, serve};
pub use follow::Reload;
pub use orders::{HangUps, Shutdown};
pub use reload::{ReloadError, Reloader};
pub use running::{DrainOutcome, Running};
