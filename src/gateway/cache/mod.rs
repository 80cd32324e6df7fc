//! The stages by which calls use stored responses.

pub(super) mod caching;
pub(super) mod filling;
pub(super) mod forgetting;
pub(super) mod known_reads;
pub(super) mod served;
