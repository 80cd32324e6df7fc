//! Lines to try: a short walk through the API with `curl`.

use calendar_edge_judge::contract::SPECIFIED_NAMESPACE;

use crate::caller::{PASSWORD, USERNAME};

/// A walk through the calendar that is published at a REST root.
pub fn try_lines(public_root: &str) -> String {
    let api = format!("{}/{SPECIFIED_NAMESPACE}", public_root.trim_end_matches('/'));
    let login = format!("-u '{USERNAME}:{PASSWORD}' -H 'Content-Type: application/json'");
    let event = r#"{"title":"Rooftop Reading","start_date":"tomorrow 19:00","end_date":"tomorrow 21:00"}"#;
    let rename = r#"{"title":"Cellar Reading"}"#;
    [
        "# the next events; sent twice, the second response is the edge's own (Cache-Status)".to_owned(),
        format!("curl -i '{api}/events?per_page=2&_pretty'"),
        format!("curl -i '{api}/events?per_page=2&_pretty'"),
        "# refused before the calendar gets it: a page that is no number, and a write without credentials"
            .to_owned(),
        format!("curl '{api}/events?page=zero&_pretty'"),
        format!(
            "curl -H 'Content-Type: application/json' -d '{{\"name\":\"Anonymous\"}}' '{api}/tags?_pretty'"
        ),
        "# create and change an event; every list shows it at once".to_owned(),
        format!("curl {login} -d '{event}' '{api}/events?_pretty'"),
        format!("curl -X PATCH {login} -d '{rename}' '{api}/events/by-slug/rooftop-reading?_pretty'"),
        format!("curl '{api}/events?search=cellar&_pretty'"),
        "# a calendar to subscribe to".to_owned(),
        format!("curl '{api}/events.ics'"),
    ]
    .join("\n")
}
