//! Validation and canonical encoding: arguments against the table, pure.
//!
//! [`Judge::judge`] reads top to bottom: a raw call becomes bags, bags become readings, readings pass
//! WordPress's phases, and what passes is encoded anew as a [`ValidatedCall`].

mod canonical;
mod crash;
mod encode;
mod expected;
mod finding;
mod images;
mod judge;
mod lasting;
mod linked;
mod lists;
mod phases;
mod policy;
mod reading;
mod rules;
mod statuses;
mod strict;
mod style;
mod validated;

pub use canonical::CanonicalRequest;
pub use finding::Finding;
pub(crate) use images::ImageHosts;
pub use judge::{Explanation, Judge, Judgement, Outcome};
pub(crate) use lists::elements;
pub use phases::{Deferred, Reading};
pub use reading::RawCall;
pub(crate) use rules::{Premises, judge_value};
pub use validated::ValidatedCall;
