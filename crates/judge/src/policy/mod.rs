//! The policy of a gateway: everything that a judgement depends on beside the request and the table of its site.

mod modes;

use std::collections::HashMap;

pub use modes::{Mode, OtherTraffic, Profile, UndeclaredParameters, Writes};

use crate::contract::{Operation, OperationId, PLUGIN_NAMESPACE, SPECIFIED_NAMESPACE};
use crate::problem::Words;

/// The policy of a gateway.
///
/// The default serves one root at `/wp-json`, under both names of the API, with the rules of WordPress.
#[derive(Debug, Clone)]
#[allow(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub struct Policy {
    /// The treatment of a request that breaks a rule.
    pub mode: Mode,
    /// The rules that apply.
    pub profile: Profile,
    /// Exceptions for single operations.
    pub operations: HashMap<OperationId, OperationPolicy>,
    /// The treatment of undeclared parameters; none: dropped in the compatible profile, refused in the strict one.
    pub undeclared: Option<UndeclaredParameters>,
    /// Undeclared parameters of all operations that are forwarded unchanged.
    pub extra_parameters: Vec<String>,
    /// True if venues and organizers that the plugin fails on are converted to a form that it accepts.
    pub repair: bool,
    /// The treatment of writes without credentials.
    pub writes: Writes,
    /// Refuse every write with 403.
    pub read_only: bool,
    /// True if writes may set the `author` of a record; none: only in the compatible profile.
    pub allow_author: Option<bool>,
    /// True if `_jsonp` is forwarded.
    pub allow_jsonp: bool,
    /// True if events have calendar files, `events.ics` and `events/56.ics`, which are read as the routes of their events.
    /// WordPress has none.
    pub calendar_files: bool,
    /// Hosts from which the site may fetch images.
    pub image_hosts: Vec<ImageHost>,
    /// The REST roots, at least one, with distinct paths; a call names its root by the position here.
    pub roots: Vec<ServedRoot>,
    /// The namespaces that clients may use, at least one. WordPress matches them without regard to case.
    pub namespaces: Vec<String>,
    /// The namespace that the plugin registers at the site, whether or not clients may use it.
    pub origin_namespace: String,
    /// The treatment of requests outside of the calendar API.
    pub other: OtherTraffic,
}

/// The policy for one operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationPolicy {
    /// Overrides [`Policy::mode`].
    pub mode: Option<Mode>,
    /// Overrides [`Policy::profile`].
    pub profile: Option<Profile>,
    /// `false` refuses every call with 403 `edge_operation_denied`.
    pub allow: bool,
    /// Undeclared parameters that are forwarded unchanged, beside those of the policy.
    pub extra_parameters: Vec<String>,
}

/// One REST root as clients see it.
#[derive(Debug, Clone)]
pub struct ServedRoot {
    /// The path, without a trailing slash: `/de/wp-json`.
    pub path: String,
    /// The error messages of its site.
    pub words: Words,
}

/// A host from which the site may fetch images.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageHost {
    /// The name in lower case and ASCII; not an IP address.
    pub name: String,
    /// True for a wildcard, `*.example.org`: it matches all names below, but not the name itself.
    pub below: bool,
    /// A port besides 80 and 443.
    pub port: Option<u16>,
}

// === impl Policy ===

impl Policy {
    /// The mode for an operation, or for requests that lead to none.
    pub fn mode(&self, operation: Option<&Operation>) -> Mode {
        let own = self.of(operation).and_then(|own| own.mode);
        own.unwrap_or(self.mode)
    }

    /// The profile whose rules run for calls of an operation, or for requests that lead to none.
    pub fn profile(&self, operation: Option<&Operation>) -> Profile {
        let own = self.of(operation).and_then(|own| own.profile);
        own.unwrap_or(self.profile)
    }

    /// Returns true if the strict profile holds for an operation at least.
    pub fn is_strict_anywhere(&self) -> bool {
        let of_operations = self.operations.values().filter_map(|own| own.profile);
        let mut profiles = std::iter::once(self.profile).chain(of_operations);
        profiles.any(|profile| profile == Profile::Strict)
    }

    /// The exceptions for an operation.
    pub(crate) fn of(&self, operation: Option<&Operation>) -> Option<&OperationPolicy> {
        self.operations.get(&operation?.id)
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            profile: Profile::default(),
            operations: HashMap::new(),
            undeclared: None,
            extra_parameters: Vec::new(),
            repair: true,
            writes: Writes::default(),
            read_only: false,
            allow_author: None,
            allow_jsonp: false,
            calendar_files: false,
            image_hosts: Vec::new(),
            roots: vec![ServedRoot::default()],
            namespaces: vec![SPECIFIED_NAMESPACE.to_owned(), PLUGIN_NAMESPACE.to_owned()],
            origin_namespace: PLUGIN_NAMESPACE.to_owned(),
            other: OtherTraffic::default(),
        }
    }
}

// === impl ServedRoot ===

impl ServedRoot {
    /// A root at a path, whose site is in English.
    pub fn at(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            words: Words::english(),
        }
    }
}

impl Default for ServedRoot {
    fn default() -> Self {
        Self::at("/wp-json")
    }
}
