//! The path of a value in a JSON document, with the numbers of list items left out.

use std::fmt::Write as _;

/// The name of the document itself in reports.
pub(super) const ROOT: &str = ":body";

/// The longest path in a report, in bytes; the rest is cut off.
const LONGEST_PATH: usize = 200;

/// The place of a value below its parents. It is only written out where something differs.
#[derive(Debug, Clone, Copy)]
pub(super) enum Trail<'p> {
    /// The document.
    Root,
    /// A member of an object.
    Member(&'p Trail<'p>, &'p str),
    /// An item of a list.
    Item(&'p Trail<'p>),
}

// === impl Trail ===

impl Trail<'_> {
    /// The path: `events[].venue.id`, or `:body` for the document.
    pub(super) fn path(&self) -> String {
        let mut path = String::new();
        self.write(&mut path);
        if path.is_empty() {
            return ROOT.to_owned();
        }
        if path.len() > LONGEST_PATH {
            path.truncate(path.floor_char_boundary(LONGEST_PATH));
            path.push('…');
        }
        path
    }

    /// Writes the steps from the document down.
    fn write(&self, path: &mut String) {
        let (Self::Member(parent, _) | Self::Item(parent)) = self else {
            return;
        };
        parent.write(path);
        match self {
            _ if path.len() > LONGEST_PATH => {}
            Self::Member(_, name) => write_member(name, path),
            Self::Root | Self::Item(_) => path.push_str("[]"),
        }
    }

    /// The name of the nearest member that contains the value.
    pub(super) fn member_name(&self) -> Option<&str> {
        match self {
            Trail::Root => None,
            Trail::Member(_, name) => Some(name),
            Trail::Item(parent) => parent.member_name(),
        }
    }
}

/// Names of other characters than those of the API are quoted, so that no name reads like a path.
fn write_member(name: &str, path: &mut String) {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '/');
    if !name.is_empty() && name.len() <= LONGEST_PATH && name.chars().all(is_plain) {
        let dot = if path.is_empty() { "" } else { "." };
        // Writing to a String cannot fail.
        let _ = write!(path, "{dot}{name}");
    } else {
        let beginning: String = name.chars().take(LONGEST_PATH).collect();
        let _ = write!(path, "[{beginning:?}]");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_items_and_quotes_strange_names() {
        let root = Trail::Root;
        let events = Trail::Member(&root, "events");
        let item = Trail::Item(&events);
        let venue = Trail::Member(&item, "venue");
        assert_eq!(Trail::Member(&venue, "id").path(), "events[].venue.id");
        assert_eq!(root.path(), ":body");
        assert_eq!(Trail::Item(&root).path(), "[]");
        assert_eq!(
            Trail::Member(&venue, "a.b\n").path(),
            "events[].venue[\"a.b\\n\"]"
        );
        assert_eq!(Trail::Member(&root, "").path(), "[\"\"]");
    }

    #[test]
    fn stays_short() {
        let long = "ü".repeat(100_000);
        let root = Trail::Root;
        assert!(Trail::Member(&root, &long).path().len() <= LONGEST_PATH + '…'.len_utf8());
    }
}
