//! The version of a site's plugin, as far as its index and one probe show it.

use super::dated_difference::{DatedDifference, VersionChange};
use super::plugin_version::PluginVersion;
use super::rows::dated_differences;
use crate::contract::event_ids::EventIds;
use crate::contract::operation::Operation;
use crate::contract::published::PublishedIndex;
use crate::contract::table::table;

/// The versions that a plugin may be of, as far as they are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SiteVersion {
    /// It is this version or a later one; none: not known.
    from: Option<PluginVersion>,
    /// It is older than this version; none: not known.
    before: Option<PluginVersion>,
}

/// Returns true for an argument that some versions of the plugin do not have.
pub(in crate::contract) fn is_younger(operation: &str, argument: &str) -> bool {
    let mut rows = dated_differences().iter();
    rows.any(|row| row.arguments(operation).contains(&argument))
}

// === impl SiteVersion ===

impl SiteVersion {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self {
        from: None,
        before: None,
    };

    /// This version and no other.
    pub fn exactly(version: PluginVersion) -> Self {
        let mut rows = dated_differences().iter();
        Self {
            from: Some(version),
            before: rows.find(|row| row.since > version).map(|row| row.since),
        }
    }

    /// The version that an index shows. Contradicting signs, as another plugin may leave them, show nothing.
    pub(in crate::contract) fn of(index: &PublishedIndex) -> Self {
        let mut known = Self::UNKNOWN;
        for (row, operation, argument) in dated_arguments() {
            match index.publishes(operation, argument) {
                Some(true) => known.from = known.from.max(Some(row.since)),
                Some(false) => known = known.older_than(row.since),
                None => {}
            }
        }
        if known.contradicts() {
            known = Self::UNKNOWN;
        }
        let shown = index.event_ids.zip(event_numbers());
        match shown {
            Some((EventIds::Numeric, row)) => Self {
                from: Some(row.since),
                before: None,
            },
            Some((EventIds::Existing, row)) => Self {
                before: Some(known.before.unwrap_or(row.since)),
                ..known
            },
            None => known,
        }
    }

    /// Returns true if the plugin has this change; none: not known.
    pub fn has(self, row: &DatedDifference) -> Option<bool> {
        if self.from >= Some(row.since) {
            return Some(true);
        }
        self.before.filter(|before| *before <= row.since).map(|_| false)
    }

    /// The site's check of single events' ids; none: not known.
    pub fn event_ids(self) -> Option<EventIds> {
        event_numbers().and_then(|row| self.has(row)).map(EventIds::of)
    }

    /// Returns true if an array crashes PHP as the value of a parameter that the operation does not declare.
    pub(crate) fn crashes_on_array(self, operation: &Operation, parameter: &str) -> bool {
        let mut rows = dated_differences().iter();
        rows.any(|row| {
            let is_about = matches!(row.change, VersionChange::CrashesOnArray(name) if name == parameter);
            is_about && row.concerns(operation) && self.has(row) == Some(true)
        })
    }

    fn older_than(self, version: PluginVersion) -> Self {
        let before = self.before.map_or(version, |before| before.min(version));
        Self {
            before: Some(before),
            ..self
        }
    }

    fn contradicts(self) -> bool {
        matches!((self.from, self.before), (Some(from), Some(before)) if from >= before)
    }
}

/// The arguments that some versions do not have, with their rows and operations.
fn dated_arguments() -> impl Iterator<Item = (&'static DatedDifference, &'static Operation, &'static str)> {
    dated_differences().iter().flat_map(|row| {
        let operations = row.operations.iter().filter_map(|name| table().named(name));
        operations.flat_map(move |operation| {
            let arguments = row.arguments(&operation.name).iter();
            arguments.map(move |argument| (row, operation, *argument))
        })
    })
}

/// The row about numbers of events in paths.
fn event_numbers() -> Option<&'static DatedDifference> {
    dated_differences()
        .iter()
        .find(|row| row.change == VersionChange::EventNumbers)
}

impl std::fmt::Display for SiteVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.from, self.before) {
            (None, None) => f.write_str("unknown"),
            (Some(from), None) => write!(f, "{from} or later"),
            (None, Some(before)) => write!(f, "before {before}"),
            (Some(from), Some(before)) => write!(f, "{from} or later, before {before}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_shown_in_words() {
        let version = |text: &str| text.parse().ok();
        let show = |from, before| SiteVersion { from, before }.to_string();
        let (old, new) = (version("6.0.2"), version("6.17.2"));
        assert_eq!(show(None, None), "unknown");
        assert_eq!(show(old, None), "6.0.2 or later");
        assert_eq!(show(None, old), "before 6.0.2");
        assert_eq!(show(old, new), "6.0.2 or later, before 6.17.2");
    }
}
