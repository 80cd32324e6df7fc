//! The check of a single event's id at a site, which its response to a probe shows.

/// The check of the id in the path of a single event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum EventIds {
    /// It must be the id of an event, else 400 `rest_invalid_param` (before 6.17.2).
    Existing,
    /// It must have the form of a number. The handler looks for the event: 404 `rest-event-not-found` (since 6.17.2).
    Numeric,
}

// === impl EventIds ===

impl EventIds {
    /// The target that shows how a site checks the ids of events, below the namespace. An anonymous GET of it changes
    /// nothing.
    pub const PROBE: &'static str = "events/0";

    /// The check that a response to a GET of [`EventIds::PROBE`] shows; none: it shows none.
    pub fn shown_by(status: u16, body: &[u8]) -> Option<Self> {
        let json: serde_json::Value = serde_json::from_slice(body).ok()?;
        match (status, json.get("code")?.as_str()?) {
            (404, "rest-event-not-found") => Some(Self::Numeric),
            (400, "rest_invalid_param") => Some(Self::Existing),
            _ => None,
        }
    }

    /// The check of a plugin that has, or has not, the change of 6.17.2.
    pub(super) const fn of(is_new: bool) -> Self {
        if is_new { Self::Numeric } else { Self::Existing }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_to_the_probe_shows_how_ids_are_checked() {
        let old = br#"{"code":"rest_invalid_param","data":{"status":400}}"#;
        let new = br#"{"code":"rest-event-not-found","data":{"status":404}}"#;
        for (status, body, shown) in [
            (400, &old[..], Some(EventIds::Existing)),
            (404, &new[..], Some(EventIds::Numeric)),
            (404, br#"{"code":"rest_no_route"}"#, None),
            (400, new, None),
            (401, old, None),
            (200, b"{}", None),
            (404, b"<html>", None),
        ] {
            assert_eq!(EventIds::shown_by(status, body), shown);
        }
    }
}
