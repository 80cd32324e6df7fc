//! The surface of the rest of a site: the routes that it publishes, how they are called, and the rules that follow.
//!
//! Pure: the counts take the time of a call, and the proposals depend on the counts alone.

mod call_counts;
mod calls;
mod listed_route;
mod paste;
mod proposals;
mod route_tree;
mod site_routes;
mod surface_report;

pub use call_counts::{CallCounts, CallSums, CalledDoor};
pub use calls::{CallKind, CallOutcome, CallerCalls, Calls, Outcomes};
pub use proposals::{ProposedDefault, ProposedRule};
pub use site_routes::{MOST_SITE_INDEX_BYTES, NoRoutes, SiteRoutes};
pub use surface_report::{NamespaceRow, Observed, Openness, RouteRow, ScriptRow, SurfaceReport};
