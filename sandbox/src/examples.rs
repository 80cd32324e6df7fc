//! Lines to try: a short walk through the API with `curl`.

use super::account::{ACCOUNTS, PASSWORD};
use calendar_edge_judge::contract::SPECIFIED_NAMESPACE;

/// A walk through the calendar that is published at a REST root.
pub(super) fn lines(public_root: &str) -> String {
    let api = format!("{}/{SPECIFIED_NAMESPACE}", public_root.trim_end_matches('/'));
    let user = ACCOUNTS[0].name;
    let login = format!("-u '{user}:{PASSWORD}'");
    let json = "-H 'Content-Type: application/json'";
    let event = r#"{"title":"Rooftop Reading","start_date":"tomorrow 19:00","end_date":"tomorrow 21:00","slug":"rooftop-reading"}"#;
    let ask_again = format!("curl -i '{api}/events/by-slug/rooftop-reading?_fields=title'");
    [
        "# the next three events, and the page after them".to_owned(),
        format!("curl '{api}/events?per_page=3&_fields=events,total,next_rest_url&_pretty'"),
        format!("curl '{api}/events?per_page=3&page=2&_pretty'"),
        "# one event by its slug".to_owned(),
        format!("curl '{api}/events/by-slug/lantern-parade?_pretty'"),
        "# events of a category, found by a word".to_owned(),
        format!("curl '{api}/events?categories=music&search=jazz&_pretty'"),
        "# create, change and delete one; it goes to the trash".to_owned(),
        format!("curl {login} {json} -d '{event}' '{api}/events?_pretty'"),
        "# asked twice, WordPress is asked once: the second answer is the edge's own (Cache-Status)".to_owned(),
        ask_again.clone(),
        ask_again.clone(),
        "# an edit is seen at once".to_owned(),
        format!(
            "curl -X PATCH {login} {json} -d '{{\"title\":\"Cellar Reading\"}}' '{api}/events/by-slug/rooftop-reading?_pretty'"
        ),
        ask_again,
        format!("curl -X DELETE {login} '{api}/events/by-slug/rooftop-reading?_pretty'"),
        "# refused: a page that is no number, and a write without credentials".to_owned(),
        format!("curl '{api}/events?page=zero&_pretty'"),
        format!("curl {json} -d '{{\"name\":\"Anonymous\"}}' '{api}/tags?_pretty'"),
    ]
    .join("\n")
}
