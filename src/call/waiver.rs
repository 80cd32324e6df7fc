//! Why a call is forwarded although it did not pass every rule.

/// The reason to forward a call that is not valid by every rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Waiver {
    /// Mode `report`: objections are only findings, and rules that fetch nothing for a client hold in `enforce`
    /// alone. A call without findings is waived as well: it was let pass, not held to the rules.
    Report,
    /// Mode `off`: the arguments were not judged.
    Off,
    /// The origin refuses the call too, in words that only it knows.
    OriginWords,
    /// OPTIONS: the origin describes a route, and no operation's arguments are judged.
    Description,
}

// === impl Waiver ===

impl Waiver {
    /// The stable name of the reason.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Report => "report",
            Self::Off => "off",
            Self::OriginWords => "origin_words",
            Self::Description => "description",
        }
    }
}
