//! The reasons to forward a call that did not pass every rule.

/// The reason to forward a call that is not valid by every rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Waiver {
    /// Mode `report`: an objection is only a finding. A write without findings is waived as well, because the rule about
    /// images of other hosts does not run in this mode.
    Report,
    /// Mode `off`: the arguments were not judged.
    Off,
    /// The origin refuses the call too, in words that only the origin has.
    OriginWords,
    /// OPTIONS: the origin describes a route. There are no arguments of an operation to judge.
    #[strum(serialize = "options")]
    Description,
}

// === impl Waiver ===

impl Waiver {
    /// The stable name of the reason.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
