//! The composition root: settings become listeners, stacks and tasks, are replaced while these run, and end in a
//! drain.

mod config_watch;
mod drift_watch;
mod edge;
mod edge_state;
mod file_watch;
mod index_watch;
mod reload;
mod running;
mod signals;

pub use crate::backend::{ClientError, OriginRoute, check_client};
pub use crate::fleet::{StoreReport, try_store};
pub use crate::migration::{BackendFindings, DryRun, DryRunCall, DryRunResponse};
pub use crate::server::bodies::{CollectError, read_within};
pub use crate::server::service_manager::ServiceManager;
pub use crate::server::threads::ServingThreads;
pub use crate::server::{
    BindError, InheritError, InheritedSockets, TlsIdentity, TlsIdentityError, raise_descriptor_limit,
};
pub use config_watch::Reload;
pub use edge::{Edge, StartError, Supervision};
pub use file_watch::FileWatch;
pub use reload::{ReloadError, Reloader};
pub use running::Running;
pub use signals::Signals;
