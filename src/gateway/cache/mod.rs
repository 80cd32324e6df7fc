//! The stages by which calls use stored responses.

pub(super) mod caching;
pub(super) mod fetch;
pub(super) mod forms;
pub(super) mod invalidating;
pub(super) mod known_reads;
pub(super) mod served;
