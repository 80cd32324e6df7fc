//! The arguments that an update resets if they are not sent, and the members of a record with their values (backend.md
//! section 9).

use crate::contract::Kind;

/// An argument that is carried over from the record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Carried {
    /// The argument, and the member of the record.
    pub(super) name: &'static str,
    pub(super) form: MemberShape,
    pub(super) when: CarriedWhen,
}

/// The form of the value in the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemberShape {
    /// As a text, which the argument takes.
    Text,
    /// As a boolean, which the argument takes.
    Flag,
    /// As a boolean; the argument is a text.
    FlagAsText,
    /// As a record with a number, or false.
    Image,
    /// As records with numbers.
    Records,
    /// As a text for people, with the amounts beside it.
    Cost,
    /// As a text with HTML entities; without a value, the address of the record itself.
    Website,
}

/// The calls that the argument is carried over in, unless it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CarriedWhen {
    /// All.
    Always,
    /// Those that send none of these, which mean the same.
    Without(&'static [&'static str]),
    /// Those that send one of these, which the site reads together.
    With(&'static [&'static str]),
}

/// The site ignores a start without an end, and computes neither again for another zone.
const TIMES: CarriedWhen = CarriedWhen::With(&["start_date", "end_date", "timezone", "all_day"]);

const EVENT: &[Carried] = &[
    carried("date", MemberShape::Text).when(CarriedWhen::Without(&["date_utc"])),
    carried("status", MemberShape::Text),
    carried("timezone", MemberShape::Text),
    carried("all_day", MemberShape::Flag),
    carried("start_date", MemberShape::Text).when(TIMES),
    carried("end_date", MemberShape::Text).when(TIMES),
    carried("image", MemberShape::Image),
    carried("cost", MemberShape::Cost),
    carried("website", MemberShape::Website),
    carried("show_map", MemberShape::Flag),
    carried("show_map_link", MemberShape::Flag),
    carried("hide_from_listings", MemberShape::Flag),
    carried("sticky", MemberShape::Flag),
    carried("featured", MemberShape::Flag),
    carried("organizer", MemberShape::Records),
];

const VENUE: &[Carried] = &[
    carried("status", MemberShape::Text),
    carried("show_map", MemberShape::FlagAsText),
    carried("show_map_link", MemberShape::FlagAsText),
    carried("stateprovince", MemberShape::Text).when(CarriedWhen::Without(&["state", "province"])),
];

const ORGANIZER: &[Carried] = &[carried("status", MemberShape::Text)];

/// The arguments that are carried over in updates of a kind.
pub(super) const fn carried_by(kind: Kind) -> &'static [Carried] {
    match kind {
        Kind::Event => EVENT,
        Kind::Venue => VENUE,
        Kind::Organizer => ORGANIZER,
        // An update of a term changes what it sends.
        Kind::Category | Kind::Tag => &[],
    }
}

/// Returns true if an update of this kind resets members that it does not send.
pub const fn is_reset_by_updates(kind: Kind) -> bool {
    !carried_by(kind).is_empty()
}

const fn carried(name: &'static str, form: MemberShape) -> Carried {
    Carried {
        name,
        form,
        when: CarriedWhen::Always,
    }
}

// === impl Carried ===

impl Carried {
    const fn when(self, when: CarriedWhen) -> Self {
        Self { when, ..self }
    }
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::*;
    use crate::contract::{Route, table};

    fn names(carried: &Carried) -> Vec<&'static str> {
        let others = match carried.when {
            CarriedWhen::With(names) | CarriedWhen::Without(names) => names,
            CarriedWhen::Always => &[],
        };
        others.iter().copied().chain([carried.name]).collect()
    }

    #[test]
    fn what_is_carried_over_are_arguments_of_the_update() {
        for kind in [Kind::Event, Kind::Venue, Kind::Organizer] {
            let update = table().find(Route::Item(kind), &Method::PATCH).unwrap();
            for name in carried_by(kind).iter().flat_map(names) {
                assert!(update.argument(name.as_bytes()).is_some(), "{name}");
            }
        }
    }
}
