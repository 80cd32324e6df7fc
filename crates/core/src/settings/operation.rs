//! Settings that differ for one operation.

use calendar_edge_judge::policy::{Mode, OperationPolicy, Profile};

/// The treatment of PATCH.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PatchPolicy {
    /// It is forwarded as an update, which resets what is not sent.
    #[default]
    Forward,
    /// The record is read first, and what is not sent keeps its value.
    Merge,
}

/// Settings that differ for one operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationSettings {
    /// Overrides [`Settings::mode`](super::Settings::mode).
    pub mode: Option<Mode>,
    /// Overrides [`Settings::profile`](super::Settings::profile).
    pub profile: Option<Profile>,
    /// `false` refuses every call with 403 `edge_operation_denied`.
    pub allow: bool,
    /// `false` keeps no answer of this operation.
    pub cache: bool,
    /// The treatment of PATCH, for updates.
    pub patch: PatchPolicy,
    /// Undeclared parameters that are forwarded unchanged.
    pub extra_parameters: Vec<String>,
}

// === impl OperationSettings ===

impl OperationSettings {
    /// The part that a judgement depends on.
    pub(super) fn policy(&self) -> OperationPolicy {
        OperationPolicy {
            mode: self.mode,
            profile: self.profile,
            allow: self.allow,
            extra_parameters: self.extra_parameters.clone(),
        }
    }
}

impl Default for OperationSettings {
    fn default() -> Self {
        Self {
            mode: None,
            profile: None,
            allow: true,
            cache: true,
            patch: PatchPolicy::Forward,
            extra_parameters: Vec::new(),
        }
    }
}
