//! The reasons for which only the site can respond.

/// Why the copy leaves a read to the site.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr, strum::VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Ask {
    /// A parameter decides how the response is printed.
    Presentation,
    /// A parameter that the table does not have.
    Undeclared,
    /// `include`, `ticketed`, `geoloc` and its like, a status beside `publish`.
    Argument,
    /// A value that is read in a way which is not known for certain.
    Value,
    /// A date that depends on the clock, or that names a zone.
    Date,
    /// The address of the list has the second of the question.
    Second,
    /// A letter whose weight is not known.
    Letter,
    /// The facts of the site do not say enough.
    Site,
    /// A record that is printed in the response has to be printed by the site.
    Printed,
    /// A record that is printed in the response is not known.
    Missing,
    /// A record that the client names is not known, or has another kind.
    Reference,
    /// An event of the list takes place several times, and the site lists it once.
    Several,
    /// Two records have the same slug, or the slug is one that WordPress changes.
    Slug,
    /// Terms of equal rank, which the site sorts at will.
    EqualTerms,
    /// A way of sorting whose ties are not known.
    Order,
}

// === impl Ask ===

impl Ask {
    /// The name in status and metrics: a token.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// A phrase for people.
    pub const fn phrase(self) -> &'static str {
        match self {
            Self::Presentation => "a parameter changes how the response is printed",
            Self::Undeclared => "a parameter is not one of the API",
            Self::Argument => "an argument whose meaning only the site knows",
            Self::Value => "a value that the site may read in another way",
            Self::Date => "a date that depends on the clock or names a zone",
            Self::Second => "the response has the second of the question",
            Self::Letter => "a letter whose weight is unknown",
            Self::Site => "the site has not told enough",
            Self::Printed => "a record has to be printed by the site",
            Self::Missing => "a record in the response is unknown",
            Self::Reference => "the client names a record that is unknown",
            Self::Several => "an event takes place several times",
            Self::Slug => "the slug may stand for several records",
            Self::EqualTerms => "terms of equal rank",
            Self::Order => "a way of sorting with unknown ties",
        }
    }
}
