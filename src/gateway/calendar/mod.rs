//! The stages of a calendar call that are about the call itself.

pub(super) mod detach_writes;
pub(super) mod judging;
pub(super) mod merging;
pub(super) mod presenting;
pub(super) mod rate_limit;
pub(super) mod read_body;
