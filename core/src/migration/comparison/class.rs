//! How much a difference matters.

use std::fmt;
use std::str::FromStr;

/// How much two values differ, the mildest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DifferenceClass {
    /// They do not differ.
    Identical,
    /// Members of an object, or of a list whose order has no meaning, come in another order.
    Order,
    /// The same value in another form; `docs/reference/comparison.md` lists the forms.
    Representation,
    /// Another value, at a path where one backend differs from itself when it is asked twice.
    Volatile,
    /// Another value.
    Different,
}

/// A text that names no class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a class: expected identical, order, representation, volatile or different")]
pub struct UnknownClass;

// === impl DifferenceClass ===

impl DifferenceClass {
    /// Every class, the mildest first.
    pub const ALL: [Self; 5] = [
        Self::Identical,
        Self::Order,
        Self::Representation,
        Self::Volatile,
        Self::Different,
    ];

    /// The name in reports and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Identical => "identical",
            Self::Order => "order",
            Self::Representation => "representation",
            Self::Volatile => "volatile",
            Self::Different => "different",
        }
    }
}

impl fmt::Display for DifferenceClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for DifferenceClass {
    type Err = UnknownClass;

    fn from_str(text: &str) -> Result<Self, UnknownClass> {
        Self::ALL
            .into_iter()
            .find(|class| class.name() == text)
            .ok_or(UnknownClass)
    }
}
