//! The changes that make a kept response outdated.

use http::{HeaderValue, StatusCode};

use super::*;

fn tags(target: &str, status: u16, body: &str) -> Option<String> {
    let status = StatusCode::from_u16(status).unwrap();
    match cacheable(&get(target)).dependencies(status, body.as_bytes()) {
        Dependencies::OnEverything => None,
        Dependencies::On(tags) => {
            let names: Vec<String> = tags.iter().map(ToString::to_string).collect();
            Some(names.join(" "))
        }
    }
}

#[test]
fn answers_depend_on_what_they_show_and_were_selected_from() {
    let event = r#"{"id":56,"venue":{"id":7},"categories":[{"id":4}]}"#;
    let events = format!(r#"{{"events":[{event}]}}"#);
    let cut = r#"{"title":"x"}"#;
    for (target, status, body, expected) in [
        (
            "/events/56",
            200,
            event,
            Some("event:56 venue:7 category:4 relations"),
        ),
        (
            "/events/by-slug/a",
            200,
            event,
            Some("event:56 venue:7 category:4 relations"),
        ),
        (
            "/events",
            200,
            &events,
            Some("event:56 venue:7 category:4 events relations"),
        ),
        ("/events", 200, r#"{"events":[]}"#, Some("events")),
        ("/events?venue=7", 200, r#"{"events":[]}"#, Some("events venues")),
        (
            "/events?categories=4&tags=a",
            200,
            r#"{"events":[]}"#,
            Some("events categories tags"),
        ),
        ("/events/57", 404, "{}", Some("event:57 events relations")),
        ("/events/57", 410, "x", Some("event:57 events relations")),
        ("/events?page=9", 404, "{}", Some("events")),
        ("/events/56?_fields=title", 200, cut, None),
        ("/events/56", 200, cut, None),
        ("/venues", 200, r#"{"venues":[{"id":7}]}"#, Some("venue:7 venues")),
        (
            "/venues?has_events=1",
            200,
            r#"{"venues":[]}"#,
            Some("events venues"),
        ),
        (
            "/tags",
            200,
            r#"{"tags":[{"id":3}]}"#,
            Some("tag:3 events tags relations"),
        ),
        ("/", 200, "{}", Some("")),
        ("/doc", 200, "{}", Some("")),
    ] {
        assert_eq!(
            tags(target, status, body).as_deref(),
            expected,
            "{target} {status}"
        );
    }
}

fn removed(method: &str, target: &str, body: &str) -> Option<Removal> {
    let fields = [
        ("content-type", "application/json"),
        ("authorization", "Basic YTpi"),
    ];
    written_by(&forwardable(&settings(), &request(method, target, &fields, body)))
}

fn removed_tags(method: &str, target: &str, body: &str) -> String {
    match removed(method, target, body) {
        Some(Removal::Tags(tags)) => {
            let names: Vec<String> = tags.iter().map(ToString::to_string).collect();
            names.join(" ")
        }
        other => format!("{other:?}"),
    }
}

#[test]
fn writes_remove_what_they_may_have_changed() {
    const ALL: &str = "events venues organizers categories tags";
    let created =
        r#"{"title":"x","start_date":"2027-01-01","end_date":"2027-01-01","venue":{"id":7,"venue":"y"}}"#;
    for (method, target, body, expected) in [
        ("POST", "/events", created, format!("{ALL} venue:7 relations")),
        (
            "PATCH",
            "/events/56",
            r#"{"title":"x"}"#,
            format!("{ALL} relations event:56"),
        ),
        ("DELETE", "/events/56", "", format!("{ALL} relations event:56")),
        (
            "PUT",
            "/events/by-slug/a",
            r#"{"title":"x"}"#,
            format!("{ALL} relations"),
        ),
        (
            "PUT",
            "/venues/7",
            r#"{"venue":"x"}"#,
            "venues relations venue:7".to_owned(),
        ),
        ("DELETE", "/venues/by-slug/a", "", "Some(All)".to_owned()),
        ("POST", "/tags", r#"{"name":"x"}"#, "tags relations".to_owned()),
        (
            "DELETE",
            "/categories/4",
            "",
            "categories relations category:4".to_owned(),
        ),
    ] {
        assert_eq!(removed_tags(method, target, body), expected, "{method} {target}");
    }
    assert_eq!(removed("GET", "/events/56", ""), None);
}

#[test]
fn head_asks_like_get_where_the_answer_is_kept() {
    let call = forwardable(&settings(), &request("HEAD", "/events/56", &[], ""));
    let shared = cacheable(&call).for_every_client().expect("another call");
    assert_eq!(shared.request(), get("/events/56").request());
    let call = get("/events/56");
    assert_eq!(cacheable(&call).for_every_client(), None);
    assert!(is_known(&HeaderValue::from_static("*"), &entity_tag(b"")));
}
