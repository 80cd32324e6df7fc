//! What a judgement rests on beside the value.

use super::images::ImageHosts;
use crate::credentials::Caller;

/// What a judgement rests on beside the value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JudgeContext<'a> {
    /// Who asks.
    pub(crate) caller: Caller,
    /// Where images may come from.
    pub(crate) images: &'a ImageHosts,
}
