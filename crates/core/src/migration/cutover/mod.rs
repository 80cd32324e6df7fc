//! Calls moved to other backends: which rule takes a call, which clients belong to a share, and which rules would split
//! the records of one kind between two stores; and the guard of a rule, which returns its calls to the site.

mod control;
#[cfg(test)]
mod control_tests;
mod failure_run;
mod guard;
#[cfg(test)]
mod guard_tests;
mod persisted;
mod place;
mod plan;
mod rule_event;
mod rule_record;
pub(crate) mod settings;
mod shared_counts;
mod split;
mod tally;
mod together;
#[cfg(test)]
mod together_tests;
mod window;

pub use control::RuleControl;
pub use guard::RuleGuard;
pub use persisted::PersistedRules;
pub use place::{ClientId, Placer, ShareKey};
pub use plan::{CutoverCall, CutoverPlan};
pub use rule_event::RuleEvent;
pub use rule_record::{Returned, RuleRecord};
pub use shared_counts::SharedCounts;
pub use split::split_stores;
pub(super) use split::takes_writes;
pub use tally::CallCounts;
