//! The requests that get a calendar, and its events.

use calendar_edge_core::settings::{FormSettings, Profile};

use super::*;

#[tokio::test]
async fn clients_that_name_a_form_get_it_and_others_get_json() {
    let origin = Calendar::of(3).site().await;
    let edge = lasting(&origin).await;
    for (accept, expected) in [
        ("text/calendar", "text/calendar; charset=utf-8"),
        ("text/calendar, */*;q=0.5", "text/calendar; charset=utf-8"),
        ("*/*", "application/json; charset=UTF-8"),
        (
            "text/html,application/xhtml+xml,*/*;q=0.8",
            "application/json; charset=UTF-8",
        ),
        ("text/calendar;q=0", "application/json; charset=UTF-8"),
    ] {
        for target in [
            LIST.to_owned(),
            format!("{API}/events/2"),
            format!("{API}/events/by-slug/gala"),
        ] {
            let answer = accepting(&edge, &target, accept).await;
            assert_eq!(answer.header("content-type"), Some(expected), "{accept} {target}");
            let vary = answer.header("vary").unwrap_or_default();
            assert!(vary.split(", ").any(|name| name == "Accept"), "{vary}");
        }
    }
    let other = accepting(&edge, &format!("{API}/venues"), "text/calendar").await;
    assert!(
        other
            .header("content-type")
            .is_some_and(|found| found.starts_with("application/json"))
    );
}

#[tokio::test]
async fn without_the_setting_nothing_changes() {
    let origin = Calendar::of(3).site().await;
    let edge = edge(&origin, |settings| settings.forms = FormSettings::default()).await;
    let answer = accepting(&edge, LIST, "text/calendar").await;
    assert_eq!(
        answer.header("content-type"),
        Some("application/json; charset=UTF-8")
    );
    let vary = answer.header("vary").unwrap_or_default();
    assert!(vary.split(", ").all(|name| name != "Accept"), "{vary}");
    assert_eq!(asked(&origin), 1);
    let file = edge.get(FILE).await;
    assert_eq!(
        (file.status.as_u16(), file.code().as_str()),
        (404, "rest_no_route")
    );
    assert_eq!(asked(&origin), 1);
}

#[tokio::test]
async fn a_file_is_a_calendar_in_every_spelling_and_can_only_be_read() {
    let origin = Calendar::of(3).site().await;
    let edge = lasting(&origin).await;
    for target in [
        FILE,
        "/wp-json/tribe/events/v1/events.ics",
        "/wp-json/Tribe/Events/V1/EVENTS.ICS/",
        "/index.php/wp-json/tribe/events/v1/events%2Eics",
        "/?rest_route=/tribe/events/v1/events.ics",
    ] {
        let answer = edge.get(target).await;
        assert_eq!(events_in(&answer), 3, "{target}");
        assert_eq!(
            answer.header("content-disposition"),
            Some("inline; filename=\"events.ics\"")
        );
    }
    assert_eq!(events_in(&edge.get(&format!("{API}/events/2.ics")).await), 1);
    // JSON would be preferred, and it is a calendar all the same.
    assert_eq!(events_in(&accepting(&edge, FILE, "application/json").await), 3);
    let before = asked(&origin);
    for method in [Method::POST, Method::PUT, Method::DELETE] {
        let write = edge
            .request(method.clone(), FILE)
            .header("authorization", "Basic YTpi");
        let answer = Answer::to(write.header("content-type", "application/json").body("{}")).await;
        assert_eq!(
            (answer.status.as_u16(), answer.code().as_str()),
            (404, "rest_no_route"),
            "{method}"
        );
    }
    let unknown = edge.get(&format!("{API}/venues.ics")).await;
    assert_eq!(unknown.code(), "rest_no_route");
    assert_eq!(asked(&origin), before);
}

#[tokio::test]
async fn filters_are_judged_and_refusals_and_errors_stay_json() {
    let origin = Calendar::of(3).site().await;
    let edge = lasting(&origin).await;
    let refused = accepting(&edge, &format!("{LIST}?page=none"), "text/calendar").await;
    assert_eq!(
        (refused.status.as_u16(), refused.code().as_str()),
        (400, "rest_invalid_param")
    );
    let gone = accepting(&edge, &format!("{API}/events/99"), "text/calendar").await;
    assert_eq!(
        (gone.status.as_u16(), gone.code().as_str()),
        (404, "event-not-found")
    );
    origin.take_seen();
    let answer = edge
        .get(&format!("{FILE}?categories=4&_fields=title&per_page=1"))
        .await;
    assert_eq!(events_in(&answer), 3);
    let seen = origin.seen();
    let mut lists = seen
        .iter()
        .map(|seen| &seen.target)
        .filter(|target| target.contains("/events"));
    let target = lists.next().expect("a list");
    assert!(target.ends_with("/events?per_page=50&categories=4"), "{target}");
}

#[tokio::test]
async fn the_strict_profile_takes_one_spelling() {
    let origin = Calendar::of(3).site().await;
    let edge = edge(&origin, |settings| {
        settings.profile = Profile::Strict;
    })
    .await;
    assert_eq!(events_in(&edge.get(FILE).await), 3);
    for target in [
        "/wp-json/Calendar/events/v1/events.ics",
        "/wp-json/calendar/events/v1/events.ICS",
        "/wp-json/calendar/events/v1/events.ics/",
    ] {
        assert_eq!(edge.get(target).await.code(), "rest_no_route", "{target}");
    }
}

#[tokio::test]
async fn what_is_for_one_client_is_not_kept() {
    let origin = Calendar::of(3).site().await;
    let edge = lasting(&origin).await;
    for _ in 0..2 {
        let request = edge
            .request(Method::GET, FILE)
            .header("authorization", "Basic YTpi");
        let answer = Answer::to(request).await;
        assert_eq!(events_in(&answer), 3);
        assert!(answer.header("etag").is_none());
    }
    assert_eq!(asked(&origin), 2);
    assert_eq!(events_in(&edge.get(FILE).await), 3);
    assert_eq!(asked(&origin), 3);
}
