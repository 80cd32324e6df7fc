//! Why a call is forwarded although it did not pass every rule.

/// The reason to forward a call that is not valid by every rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Waiver {
    /// Mode `report`: an objection is only a finding. A call without findings is waived as well: nothing would
    /// have stopped it, and the rule about images of other hosts is not asked in this mode.
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
            Self::Description => "options",
        }
    }
}
