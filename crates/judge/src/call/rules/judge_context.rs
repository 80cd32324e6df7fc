//! The facts besides the value that a judgement depends on.

use crate::call::credentials::Caller;
use crate::contract::{EventIds, TableInForce};
use crate::policy::{ImageHost, Policy};

/// The facts besides the value that a judgement depends on.
#[derive(Debug, Clone, Copy)]
pub struct JudgeContext<'a> {
    /// The sender of the call.
    pub caller: Caller,
    /// The hosts that images may come from.
    pub images: &'a [ImageHost],
    /// The way in which the ids of single events are checked; none: not known.
    pub event_ids: Option<EventIds>,
}

// === impl JudgeContext ===

impl<'a> JudgeContext<'a> {
    /// The facts of a call by this caller, to a site with this table.
    pub(in crate::call) fn new(caller: Caller, policy: &'a Policy, table: &TableInForce) -> Self {
        Self {
            caller,
            images: &policy.image_hosts,
            event_ids: table.event_ids,
        }
    }
}
