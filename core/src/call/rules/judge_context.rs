//! What a judgement rests on beside the value.

use super::images::ImageHosts;
use crate::credentials::Caller;

/// What a judgement rests on beside the value.
#[derive(Debug, Clone, Copy)]
pub struct JudgeContext<'a> {
    /// Who asks.
    pub caller: Caller,
    /// Where images may come from.
    pub images: &'a ImageHosts,
}
