//! Settings that differ for one operation.

use super::keys::form::PARAMETER;
use super::keys::group::settings_group;
use super::keys::{MODES, PROFILES};
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

const PATCHES: [(&str, PatchPolicy); 2] = [("forward", PatchPolicy::Forward), ("merge", PatchPolicy::Merge)];

settings_group! {
    /// Settings that differ for one operation; `calendar-edge print openapi` has the names as `x-operation`.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct OperationSettings {
        /// The mode of this operation.
        pub mode: Option<Mode> = None => choice(MODES), "the `mode` at the top";
        /// The rules that apply to this operation.
        pub profile: Option<Profile> = None => choice(PROFILES), "the `profile` at the top";
        /// `false` refuses every call with 403 `edge_operation_denied`.
        pub allow: bool = true => flag();
        /// `false` stores no response of this operation.
        pub cache: bool = true => flag();
        /// For updates: `forward` makes PATCH an update of WordPress, which resets much of what is not sent. `merge`
        /// keeps it, see [clients.md](clients.md#patch).
        pub patch: PatchPolicy = PatchPolicy::Forward => choice(PATCHES);
        /// Parameters outside of the API, for example of other plugins, that are forwarded unchanged.
        pub extra_parameters: Vec<String> = Vec::new() => list(PARAMETER, 0), "none";
    }
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
