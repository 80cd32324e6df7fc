//! The facts besides the value that a judgement depends on.

use super::images::ImageHosts;
use crate::call::credentials::Caller;
use crate::contract::EventIds;

/// The facts besides the value that a judgement depends on.
#[derive(Debug, Clone, Copy)]
pub struct JudgeContext<'a> {
    /// The sender of the call.
    pub caller: Caller,
    /// The hosts that images may come from.
    pub images: &'a ImageHosts,
    /// The way in which the ids of single events are checked; none: not known.
    pub event_ids: Option<EventIds>,
}
