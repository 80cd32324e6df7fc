//! The facts besides the value that a judgement depends on.

use super::images::ImageHosts;
use crate::call::credentials::Caller;
use crate::contract::Generations;

/// The facts besides the value that a judgement depends on.
#[derive(Debug, Clone, Copy)]
pub struct JudgeContext<'a> {
    /// The sender of the call.
    pub caller: Caller,
    /// The hosts that images may come from.
    pub images: &'a ImageHosts,
    /// What is known about the generation of the site's plugin.
    pub generations: Generations,
}
