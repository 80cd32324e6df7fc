//! The gravity of a difference.

use strum::VariantArray as _;

/// The class of a difference between two values, the mildest first.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
    serde::Serialize,
    serde::Deserialize,
)]
#[strum(serialize_all = "snake_case", parse_err_fn = not_a_class, parse_err_ty = String)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceClass {
    /// They do not differ.
    Identical,
    /// Members of an object, or of a list whose order has no meaning, come in another order.
    Order,
    /// The same value in another form; `fixtures/comparison/forms.tsv` lists the forms.
    Representation,
    /// Another value, at a path where one backend differs from itself when it gets the call twice.
    Volatile,
    /// The same value but for a host: each backend names one of its own, outside of the URLs that the edge makes public.
    Host,
    /// Another value.
    Different,
}

// === impl DifferenceClass ===

impl DifferenceClass {
    /// Every class, the mildest first.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// True if a client sees another value than the primary's, beyond what the primary itself varies.
    pub fn is_another_value(self) -> bool {
        self >= Self::Host
    }
}

/// The error of a name that is no class.
fn not_a_class(_: &str) -> String {
    "not a class: expected identical, order, representation, volatile, host or different".to_owned()
}
