//! Calls moved to other backends: which rule takes a call, which clients belong to a share, and which rules would split
//! the records of one kind between two stores; and the guard of a rule, which returns its calls to the site.

mod control;
#[cfg(test)]
mod control_tests;
mod guard;
mod latency;
mod persisted;
mod place;
mod plan;
mod split;
mod window;

pub use control::{GuardView, Returned, RuleChange, RuleControl, RuleRecord};
pub use guard::{RuleEvent, TripReason};
pub use persisted::{PersistedRules, UnreadableRules};
pub use place::{Placer, ShareKey};
pub use plan::{CutoverCall, CutoverPlan};
pub use split::{SplitFault, SplitReason, split_stores};
pub use window::WindowCounts;
