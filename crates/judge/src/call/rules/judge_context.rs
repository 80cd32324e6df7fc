//! The facts besides the value that a judgement depends on.

use super::images::ImageHosts;
use crate::call::credentials::Caller;
use crate::contract::SiteVersion;

/// The facts besides the value that a judgement depends on.
#[derive(Debug, Clone, Copy)]
pub struct JudgeContext<'a> {
    /// The sender of the call.
    pub caller: Caller,
    /// The hosts that images may come from.
    pub images: &'a ImageHosts,
    /// The version of the plugin that calls are judged as.
    pub version: SiteVersion,
}
