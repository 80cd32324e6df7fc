//! The surface of the rest of a site: the routes that it publishes, how they are called, and the rules that follow.
//!
//! Pure: the counts take the time of a call, and the proposals depend on the counts alone.

mod call_counts;
mod listed_routes;
mod paste;
mod proposals;
#[cfg(test)]
mod proposals_tests;
mod route_calls;
mod route_shape;
mod route_tree;
mod surface_report;
mod surface_scope;

pub use call_counts::{CallSums, CalledDoor, SurfaceCounts};
pub use listed_routes::{ListedRoutes, MOST_SITE_INDEX_BYTES, NoRoutes};
pub use proposals::{ProposedDefault, ProposedRule};
pub use route_calls::{CallKind, CallOutcome, CallerCalls, Calls, Outcomes};
pub use surface_report::{NamespaceRow, Observed, RouteRow, ScriptRow, SurfaceReport};
pub use surface_scope::SurfaceScope;
