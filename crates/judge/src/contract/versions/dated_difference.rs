//! One change of the plugin: since when, where, and of which kind.

use super::plugin_version::PluginVersion;
use crate::contract::operation::Operation;

/// A change that a version of the plugin brought: one row of the table.
#[derive(Debug, PartialEq, Eq)]
pub struct DatedDifference {
    /// The stable name, in metrics and explanations.
    pub name: &'static str,
    /// The first version that has it.
    pub since: PluginVersion,
    /// The operations concerned, by name.
    pub operations: &'static [&'static str],
    /// The kind of the change, with what its kind needs.
    pub change: VersionChange,
    /// The difference between the versions, in a sentence.
    pub meaning: &'static str,
    /// The recording, or the place in the plugin's source, that shows it.
    pub evidence: &'static str,
}

/// The kinds of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VersionChange {
    /// These arguments are new. Older versions ignore them.
    Arguments(&'static [&'static str]),
    /// An array crashes PHP as the value of this parameter, which the operation does not declare.
    CrashesOnArray(&'static str),
    /// The number in the path needs only the form of a number. In older versions it must be that of an event.
    EventNumbers,
    /// A call is refused with this status and code, where older versions respond otherwise.
    Refusal {
        /// The status.
        status: u16,
        /// The code of the error.
        code: &'static str,
        /// The response of older versions.
        former: FormerResponse,
    },
    /// This member is new, wherever it stands in a response.
    Member(&'static str),
    /// This member may be a list of records, where older versions have the first record alone.
    Several(&'static str),
    /// It depends on a fact that no response shows, so that it is not translated.
    Unshown,
}

/// The response of older versions to a call that a newer one refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormerResponse {
    /// 400 `rest_invalid_param` about the number in the path.
    InvalidNumber,
    /// Another error of the same status.
    Error {
        /// The code.
        code: &'static str,
        /// The sentence of an English site.
        message: &'static str,
    },
    /// 200 with this JSON document.
    Success(&'static str),
}

// === impl DatedDifference ===

impl DatedDifference {
    /// Returns true if the row is about an operation.
    pub fn concerns(&self, operation: &Operation) -> bool {
        self.operations.contains(&operation.name.as_str())
    }

    /// Returns true if responses are translated into those of versions before this change, or calls are judged as they
    /// did.
    pub fn is_translated(&self) -> bool {
        self.change != VersionChange::Unshown
    }

    /// Returns true if the row can apply to a response.
    pub const fn is_of_responses(&self) -> bool {
        matches!(
            self.change,
            VersionChange::Refusal { .. } | VersionChange::Member(_) | VersionChange::Several(_)
        )
    }

    /// The arguments of an operation that the change brought.
    pub fn arguments(&self, operation: &str) -> &'static [&'static str] {
        match self.change {
            VersionChange::Arguments(names) if self.operations.contains(&operation) => names,
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::rows::dated_differences;
    use super::*;
    use crate::contract::table;

    #[test]
    fn rows_are_in_order_and_name_what_there_is() {
        let rows = dated_differences();
        assert!(rows.is_sorted_by_key(|row| row.since));
        let names: HashSet<&str> = rows.iter().map(|row| row.name).collect();
        assert_eq!(names.len(), rows.len());
        let span = PluginVersion::OLDEST..=PluginVersion::NEWEST;
        for row in rows {
            assert!(span.contains(&row.since), "{}", row.name);
            assert!(
                !row.evidence.is_empty() && row.meaning.ends_with('.'),
                "{}",
                row.name
            );
            for name in row.operations {
                let operation = table().named(name).expect(name);
                for argument in row.arguments(name) {
                    assert!(
                        operation.argument(argument.as_bytes()).is_some(),
                        "{name} {argument}"
                    );
                }
            }
        }
        assert_eq!(rows.last().map(|row| row.since), Some(PluginVersion::NEWEST));
    }

    #[test]
    fn former_documents_are_json() {
        for row in dated_differences() {
            if let VersionChange::Refusal {
                former: FormerResponse::Success(document),
                ..
            } = row.change
            {
                let read: Result<serde_json::Value, _> = serde_json::from_str(document);
                assert!(read.is_ok(), "{}", row.name);
            }
        }
    }
}
