//! Laws of dates: events come in the order of their beginnings, and dates in UTC follow from those of a place.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::Value;

/// True if events come in the order of their beginnings, in their own time or in UTC.
pub(super) fn are_in_order(events: &[Value]) -> bool {
    ["start_date", "utc_start_date"].into_iter().any(|member| {
        let dates = events.iter().filter_map(|event| event[member].as_str());
        dates.is_sorted()
    })
}

/// True if the UTC of an event follows from its zone, or if none has a zone of another time. One is enough: an update
/// that sends no zone leaves a wrong UTC behind (backend.md section 7).
pub(super) fn have_utc(events: &[Value]) -> bool {
    let told: Vec<bool> = events.iter().filter_map(has_utc).collect();
    told.is_empty() || told.contains(&true)
}

fn has_utc(event: &Value) -> Option<bool> {
    let date = |member: &str| event[member].as_str()?.parse::<DateTime>().ok();
    let (local, utc) = (date("start_date")?, date("utc_start_date")?);
    let zone = TimeZone::get(event["timezone"].as_str()?).ok()?;
    let expected = TimeZone::UTC.to_datetime(zone.to_timestamp(local).ok()?);
    (expected != local).then_some(utc == expected)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(local: &str, utc: &str, zone: &str) -> Value {
        json!({"start_date": local, "utc_start_date": utc, "timezone": zone})
    }

    #[test]
    fn utc_that_equals_the_time_of_a_place_is_none() {
        let right = event("2027-04-02 19:00:00", "2027-04-02 17:00:00", "Europe/Berlin");
        let wrong = event("2027-04-02 19:00:00", "2027-04-02 19:00:00", "Europe/Berlin");
        let utc = event("2027-04-02 19:00:00", "2027-04-02 19:00:00", "UTC");
        let offset = event("2027-04-02 19:00:00", "2027-04-02 19:00:00", "UTC+2");
        assert!(have_utc(&[right.clone(), wrong.clone()]));
        assert!(have_utc(&[utc, offset.clone()]), "nothing follows from them");
        assert!(!have_utc(&[wrong, offset]));
        assert!(have_utc(&[]));
    }

    #[test]
    fn the_order_is_that_of_one_clock() {
        let early = event("2027-04-02 19:00:00", "2027-04-02 17:00:00", "Europe/Berlin");
        let late = event("2027-04-02 18:00:00", "2027-04-02 22:00:00", "America/New_York");
        let last = event("2027-04-03 18:00:00", "2027-04-03 16:00:00", "Europe/Berlin");
        assert!(are_in_order(&[early.clone(), late.clone(), last.clone()]));
        assert!(are_in_order(&[late.clone(), early.clone(), last.clone()]));
        assert!(!are_in_order(&[last, early, late]));
    }
}
