//! Two responses to one call, compared as the client would have seen them.
//!
//! [`compare()`] finds the JSON paths, headers and statuses that differ, each with a class. A [`Comparer`] applies the
//! rules of an operator and the noise that was learnt. A [`ComparisonReport`] adds the findings of many calls up,
//! within fixed memory. `fixtures/comparison/forms.tsv` lists what counts as the same value in another form.

mod class;
mod compare;
mod compared_headers;
mod comparer;
mod entities;
mod facts;
mod findings;
mod ignored;
mod instant;
mod lists;
mod node;
mod noise;
mod operation_report;
mod own_hosts;
#[cfg(test)]
mod recorded_changes;
mod redact;
mod report;
mod reported_call;
mod scalar;
pub(crate) mod settings;
#[cfg(test)]
mod tests;
mod trail;

pub use class::DifferenceClass;
pub use compare::{ComparedResponse, compare};
pub use comparer::Comparer;
pub use findings::{ExamplePair, PathFinding, PathFindings};
pub use ignored::EndedRule;
pub use operation_report::ReadyDemand;
pub use own_hosts::OwnHosts;
pub use report::ComparisonReport;
pub use reported_call::ReportedCall;
