//! A version of the plugin, which orders by its numbers.

use std::fmt;
use std::str::FromStr;

/// A version of the plugin: up to four numbers, of which those that are not written are zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PluginVersion([u16; 4]);

/// The fault of a text that is not one to four numbers with dots between them.
const MALFORMED: &str = "it is not a version, such as 6.10";

// === impl PluginVersion ===

impl PluginVersion {
    /// The oldest version whose differences are known.
    pub const OLDEST: Self = Self([5, 12, 0, 0]);

    /// The version that the published API describes, and that the edge's own documents describe.
    pub const SPECIFIED: Self = Self([6, 10, 0, 0]);

    /// The newest version whose differences are known.
    pub const NEWEST: Self = Self([6, 17, 2, 0]);

    /// The name of [`PluginVersion::SPECIFIED`] where a version can be chosen.
    pub const SPECIFICATION: &'static str = "spec";

    /// The version of these numbers.
    pub const fn new(numbers: [u16; 4]) -> Self {
        Self(numbers)
    }

    /// Reads a version whose contract can be chosen: one between the oldest and the newest that are known, or
    /// [`PluginVersion::SPECIFICATION`].
    ///
    /// # Errors
    /// The text is no version, or one outside of the table.
    pub fn chosen(text: &str) -> Result<Self, String> {
        if text == Self::SPECIFICATION {
            return Ok(Self::SPECIFIED);
        }
        let version: Self = text.parse()?;
        if (Self::OLDEST..=Self::NEWEST).contains(&version) {
            Ok(version)
        } else {
            let (oldest, newest) = (Self::OLDEST, Self::NEWEST);
            Err(format!(
                "the differences of this version are not known: choose one from {oldest} to {newest}"
            ))
        }
    }
}

impl FromStr for PluginVersion {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut numbers = [0; 4];
        let mut written = text.split('.');
        let mut places = numbers.iter_mut();
        for number in written.by_ref() {
            let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
            let place = places.next().filter(|_| is_number).ok_or(MALFORMED)?;
            *place = number.parse().map_err(|_| MALFORMED)?;
        }
        Ok(Self(numbers))
    }
}

impl fmt::Display for PluginVersion {
    /// The first two numbers, and the others up to the last that is not zero.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch, hotfix] = self.0;
        write!(f, "{major}.{minor}")?;
        if patch != 0 || hotfix != 0 {
            write!(f, ".{patch}")?;
        }
        if hotfix != 0 {
            write!(f, ".{hotfix}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_by_their_numbers() {
        let read = |text: &str| text.parse::<PluginVersion>();
        let ordered = ["5.12.4", "6", "6.0.2", "6.5.0.1", "6.10", "6.10.0.1", "6.17.2"];
        let ordered: Vec<_> = ordered.into_iter().map(|text| read(text).expect(text)).collect();
        assert!(ordered.is_sorted());
        assert_eq!(read("6.10"), read("6.10.0"));
        for text in ["", ".", "6.", "6.x", "+6", "6.1.2.3.4", "70000.1", " 6"] {
            assert_eq!(read(text), Err(MALFORMED), "{text}");
        }
    }

    #[test]
    fn a_version_is_shown_as_it_is_written() {
        for (text, shown) in [
            ("6", "6.0"),
            ("6.10.0", "6.10"),
            ("6.5.0.1", "6.5.0.1"),
            ("6.0.2", "6.0.2"),
        ] {
            assert_eq!(
                text.parse::<PluginVersion>().map(|read| read.to_string()),
                Ok(shown.to_owned())
            );
        }
    }

    #[test]
    fn a_version_of_which_nothing_is_known_cannot_be_chosen() {
        assert_eq!(PluginVersion::chosen("spec"), Ok(PluginVersion::SPECIFIED));
        assert_eq!(PluginVersion::chosen("6.17.2"), Ok(PluginVersion::NEWEST));
        for text in ["5.11", "6.17.2.1", "7"] {
            let fault = PluginVersion::chosen(text).unwrap_err();
            assert!(fault.ends_with("choose one from 5.12 to 6.17.2"), "{text}");
        }
    }
}
