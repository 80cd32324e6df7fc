//! The lists of venues and organizers.

use std::cmp::Reverse;

use calendar_edge_judge::contract::Kind;

use super::{check_status, mentions, named, shows};
use crate::call::Call;
use crate::dates::of_stamp;
use crate::print::Printer;
use crate::record::{Members, ids, text};
use crate::refused::Refused;

/// The members that a search looks at.
const SEARCHED: [&str; 9] = [
    "venue",
    "organizer",
    "description",
    "address",
    "city",
    "country",
    "zip",
    "phone",
    "email",
];

/// The numbers of the venues or organizers that a call selects, the youngest first.
pub(super) fn found(call: &Call, kind: Kind, by: &Printer<'_>) -> Result<Vec<u64>, Refused> {
    check_status(call)?;
    let events = named(call, by.store, Kind::Event, "event")?;
    let of_events = events.map(|events| {
        let events = events.iter().filter_map(|id| by.store.get(Kind::Event, *id));
        events
            .flat_map(|event| ids(event, kind.singular()))
            .collect::<Vec<u64>>()
    });
    let now = call.wall();
    let named = used(by, kind, |_| true);
    let upcoming = used(by, kind, |event| of_stamp(text(event, "start_date")) >= now);
    let takes = |id: u64, record: &Members| {
        shows(call, record)
            && of_events.as_ref().is_none_or(|ids| ids.contains(&id))
            && call
                .truth("has_events")
                .is_none_or(|wanted| named.contains(&id) == wanted)
            && (call.truth("only_with_upcoming") != Some(true) || upcoming.contains(&id))
            && call
                .text("search")
                .is_none_or(|search| mentions(&search, &SEARCHED.map(|name| text(record, name))))
    };
    let found = by.store.all(kind).filter(|(id, record)| takes(*id, record));
    let mut found: Vec<(u64, &Members)> = found.collect();
    found.sort_by_key(|(id, record)| Reverse((text(record, "date"), *id)));
    Ok(found.into_iter().map(|(id, _)| id).collect())
}

/// The records of a kind that published events name.
fn used(by: &Printer<'_>, kind: Kind, which: impl Fn(&Members) -> bool) -> Vec<u64> {
    let events = by.store.all(Kind::Event).map(|(_, event)| event);
    let events = events.filter(|event| text(event, "status") == "publish" && which(event));
    events.flat_map(|event| ids(event, kind.singular())).collect()
}
