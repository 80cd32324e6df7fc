//! PATCH behind `patch = "merge"`: members that are not sent keep their values, and no other change is undone (decision
//! 0038).

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use calendar_edge_core::settings::{OperationSettings, PatchPolicy, Root, Settings};
use calendar_edge_judge::contract::patch::{ReadRecord, merged_body};
use calendar_edge_judge::contract::{Kind, table};
use calendar_edge_judge::problem::Words;
use calendar_service::{PASSWORD, USERNAME};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use super::calendar::Calendar;
use crate::corpus::records;
use crate::support::{Answer, EVENTS, Edge, Origin, Reply};

fn merging(settings: &mut Settings) {
    for name in ["events.update", "venues.update", "organizers.update"] {
        let operation = OperationSettings {
            patch: PatchPolicy::Merge,
            ..OperationSettings::default()
        };
        let id = table().named(name).expect("an operation").id;
        settings.operations.insert(id, operation);
    }
}

async fn edge_before(calendar: &Calendar, change: impl FnOnce(&mut Settings)) -> Edge {
    let fresh = Settings::for_origin(calendar.server.rest_root().clone());
    let site = |settings: &mut Settings| {
        settings.origin.url = fresh.origin.url;
        settings.roots = fresh.roots;
    };
    Edge::builder()
        .settings(site)
        .settings(change)
        .caching()
        .start()
        .await
}

/// A call as the administrator of the calendar.
fn request(edge: &Edge, method: Method, path: &str) -> RequestBuilder {
    let target = format!("/wp-json/calendar/events/v1{path}");
    edge.request(method, &target).basic_auth(USERNAME, Some(PASSWORD))
}

async fn write(edge: &Edge, (method, path): (Method, &str), body: &Value) -> Answer {
    let request = request(edge, method, path).header("content-type", "application/json");
    Answer::to(request.body(body.to_string())).await
}

/// The record as the administrator reads it, without what changes by itself.
async fn read(edge: &Edge, path: &str) -> Value {
    let answer = Answer::to(request(edge, Method::GET, path)).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let mut record = answer.json();
    drop_moving(&mut record);
    record
}

fn drop_moving(value: &mut Value) {
    if let Some(members) = value.as_object_mut() {
        for name in ["modified", "modified_utc", "json_ld", "count"] {
            members.remove(name);
        }
        members.values_mut().for_each(drop_moving);
    }
    if let Some(elements) = value.as_array_mut() {
        elements.iter_mut().for_each(drop_moving);
    }
}

fn full_event() -> Value {
    json!({
        "title": "Tea", "start_date": "2026-12-01 15:00:00", "end_date": "2026-12-01 17:00:00",
        "timezone": "America/New_York", "date": "2026-11-01 08:00:00", "status": "publish", "cost": "$12.50",
        "website": "https://tea.example/?a=1&b=2", "sticky": true, "featured": true, "show_map": true,
        "hide_from_listings": true, "venue": 7, "organizer": [15, 16], "categories": ["music"], "tags": ["free"],
    })
}

#[tokio::test]
async fn a_patch_of_the_title_changes_the_title() {
    let calendar = Calendar::open().await;
    let edge = edge_before(&calendar, merging).await;
    let created = write(&edge, (Method::POST, "/events"), &full_event()).await;
    assert_eq!(created.status, 201, "{}", created.body);
    let path = format!("/events/{}", created.json()["id"]);
    let by_slug = format!("/events/by-slug/{}", created.json()["slug"].as_str().unwrap());
    let mut expected = read(&edge, &path).await;
    let named = format!("{path}?_method=PATCH");
    for (method, patched, title) in [
        (Method::PATCH, &path, "Coffee"),
        (Method::PATCH, &by_slug, "Cocoa"),
        (Method::POST, &named, "Chai"),
    ] {
        let body = json!({"title": title});
        let answer = write(&edge, (method, patched), &body).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        expected["title"] = json!(title);
        assert_eq!(read(&edge, &path).await, expected);
    }
}

#[tokio::test]
async fn without_merge_the_same_patch_resets_the_event() {
    let calendar = Calendar::open().await;
    let edge = edge_before(&calendar, |_| ()).await;
    let created = write(&edge, (Method::POST, "/events"), &full_event()).await;
    let path = format!("/events/{}", created.json()["id"]);
    let body = json!({"title": "Coffee"});
    let patched = write(&edge, (Method::PATCH, &path), &body).await.json();
    for (name, reset) in [
        ("cost", json!("")),
        ("website", json!("")),
        ("sticky", json!(false)),
        ("timezone", json!("Europe/Berlin")),
        ("organizer", json!([])),
    ] {
        assert_eq!(patched[name], reset, "{name}");
    }
    assert_ne!(patched["date"], created.json()["date"]);
}

#[tokio::test]
async fn a_draft_stays_a_draft() {
    let calendar = Calendar::open().await;
    for (patch, status) in [(PatchPolicy::Merge, "draft"), (PatchPolicy::Forward, "publish")] {
        let change = |settings: &mut Settings| {
            if patch == PatchPolicy::Merge {
                merging(settings);
            }
        };
        let edge = edge_before(&calendar, change).await;
        let mut event = full_event();
        event["status"] = json!("draft");
        let created = write(&edge, (Method::POST, "/events"), &event).await.json();
        let path = format!("/events/{}", created["id"]);
        let patched = write(&edge, (Method::PATCH, &path), &json!({"title": "Coffee"})).await;
        assert_eq!(patched.json()["status"], status, "{}", patched.body);
    }
}

#[tokio::test]
async fn who_may_edit_a_protected_event_needs_no_password() {
    let calendar = Calendar::open().await;
    let edge = edge_before(&calendar, merging).await;
    let (_, list) = calendar.get("/events?search=Secret+Rehearsal").await;
    let path = format!("/events/{}", list["events"][0]["id"]);
    let edited = format!("{path}?context=edit");
    let mut expected = read(&edge, &edited).await;
    let body = json!({"title": "Dress Rehearsal"});
    let answer = write(&edge, (Method::PATCH, &path), &body).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    expected["title"] = body["title"].clone();
    // The site shows the address of the event, which has none.
    expected["website"] = json!("");
    assert_eq!(read(&edge, &edited).await, expected);
    assert_eq!(
        Answer::to(request(&edge, Method::GET, &path)).await.status,
        403,
        "its password stays"
    );
}

#[tokio::test]
async fn put_and_post_stay_updates_of_the_whole_record() {
    let calendar = Calendar::open().await;
    let edge = edge_before(&calendar, merging).await;
    let created = write(&edge, (Method::POST, "/events"), &full_event()).await;
    let path = format!("/events/{}", created.json()["id"]);
    for method in [Method::PUT, Method::POST] {
        let updated = write(&edge, (method, &path), &json!({"title": "Coffee"})).await;
        assert_eq!(updated.json()["cost"], "");
    }
}

#[tokio::test]
async fn venues_keep_their_state_and_maps() {
    let calendar = Calendar::open().await;
    let edge = edge_before(&calendar, merging).await;
    let venue = json!({
        "venue": "Hall", "status": "draft", "stateprovince": "Bavaria", "show_map": "false", "city": "Munich",
    });
    let created = write(&edge, (Method::POST, "/venues"), &venue).await;
    let path = format!("/venues/{}", created.json()["id"]);
    let mut expected = read(&edge, &path).await;
    let patched = write(&edge, (Method::PATCH, &path), &json!({"phone": "1"})).await;
    assert_eq!(patched.status, 200, "{}", patched.body);
    expected["phone"] = json!("1");
    assert_eq!(read(&edge, &path).await, expected);
}

#[tokio::test]
async fn two_patches_at_once_both_last() {
    let calendar = Calendar::open().await;
    let edge = edge_before(&calendar, merging).await;
    let created = write(&edge, (Method::POST, "/events"), &full_event()).await;
    let path = format!("/events/{}", created.json()["id"]);
    let (cost, flag) = (json!({"cost": "7"}), json!({"show_map_link": true}));
    let (first, second) = tokio::join!(
        write(&edge, (Method::PATCH, &path), &cost),
        write(&edge, (Method::PATCH, &path), &flag),
    );
    assert_eq!((first.status.as_u16(), second.status.as_u16()), (200, 200));
    let now = read(&edge, &path).await;
    assert_eq!(now["cost_details"]["values"], json!(["7"]));
    assert_eq!(now["show_map_link"], true);
}

#[tokio::test]
async fn t90_one_record_is_merged_once_at_a_time_by_every_address() {
    const EVENT: &str =
        r#"{"id":56,"title":"x","status":"draft","modified_utc":"2026-11-20 08:39:45","cost":"$5"}"#;
    let origin = Origin::always(Reply::json(200, EVENT).after(Duration::from_millis(20))).await;
    let german = Root {
        language: Some("de".to_owned()),
        path: "/de/wp-json".to_owned(),
        origin_url: format!("{}/de/wp-json", origin.base()).parse().expect("a URL"),
        wanted: None,
        words: Words::english(),
    };
    let builder = Edge::builder().origin(&origin).settings(merging);
    let edge = builder
        .settings(|settings| settings.roots.push(german))
        .start()
        .await;
    let patch = async |address: &str| {
        let request = edge.request(Method::PATCH, address).basic_auth("a", Some("b"));
        let request = request.header("content-type", "application/json");
        assert_eq!(
            Answer::to(request.body(r#"{"cost":"7"}"#)).await.status,
            200,
            "{address}"
        );
    };
    let addresses = ["56", "by-slug/gala", "056"].map(|address| format!("{EVENTS}/{address}"));
    let [number, slug, zero] = &addresses;
    let german = format!("/de{EVENTS}/56");
    tokio::join!(patch(number), patch(slug), patch(zero), patch(&german));

    let targets = origin.seen().into_iter().map(|seen| seen.target);
    let mut paths: Vec<String> = targets
        .map(|target| target.split('?').next().unwrap_or_default().to_owned())
        .collect();
    // The first read by the slug finds the record of that name.
    let first = paths.iter().position(|path| path.contains("by-slug"));
    paths.remove(first.expect("a read by the slug"));
    let merges: Vec<&[String]> = paths.chunks(3).collect();
    assert_eq!(merges.len(), 4);
    let is_alone = |merge: &&[String]| merge.iter().all(|path| *path == merge[0]);
    assert!(merges.iter().all(is_alone), "{paths:?}");
}

#[tokio::test]
async fn a_record_that_is_not_there_is_answered_by_the_site() {
    let calendar = Calendar::open().await;
    let edge = edge_before(&calendar, merging).await;
    let read = Answer::to(request(&edge, Method::GET, "/events/99999")).await;
    let patched = write(&edge, (Method::PATCH, "/events/99999"), &json!({"title": "x"})).await;
    assert_eq!((patched.status, patched.code()), (read.status, read.code()));
}

/// A site whose event has the states of the list, one response after the other; the last one stays.
async fn changing(titles: &'static [&'static str]) -> Origin {
    let left = Mutex::new(titles.iter());
    Origin::answering(move |seen| {
        let mut left = left.lock().expect("a title");
        let title = match left.as_slice() {
            [_, _, ..] if seen.method == Method::GET => left.next().expect("a title"),
            rest => rest[0],
        };
        Reply::json(
            200,
            &format!(r#"{{"id":56,"title":"{title}","status":"draft","modified_utc":"2026-11-20 08:39:45","cost":"$5"}}"#),
        )
    })
    .await
}

/// A PATCH of the title with a further header, and the requests to the site.
async fn patched(origin: &Origin, header: Option<(&str, &str)>) -> (Answer, Vec<String>) {
    patched_by(origin, header, merging).await
}

/// The same with these settings.
async fn patched_by(
    origin: &Origin,
    header: Option<(&str, &str)>,
    change: impl FnOnce(&mut Settings),
) -> (Answer, Vec<String>) {
    let edge = Edge::builder().origin(origin).settings(change).start().await;
    let mut request = edge
        .request(Method::PATCH, &format!("{EVENTS}/56?_fields=id&_envelope=1"))
        .basic_auth("a", Some("b"))
        .header("content-type", "application/json");
    if let Some((name, value)) = header {
        request = request.header(name, value);
    }
    let answer = Answer::to(request.body(r#"{"title":"New"}"#)).await;
    let seen = origin.seen().into_iter();
    (
        answer,
        seen.map(|seen| format!("{} {}", seen.method, seen.target))
            .collect(),
    )
}

const READ: &str = "GET /wp-json/tribe/events/v1/events/56?context=edit";

#[tokio::test]
async fn a_change_between_read_and_write_is_a_conflict() {
    let origin = changing(&["one", "two"]).await;
    let (answer, asked) = patched(&origin, None).await;
    // Also to a client that requested an envelope, as other responses of the edge.
    assert_eq!(asked, [READ, READ]);
    assert!(answer.body.contains("edge_patch_conflict"), "{}", answer.body);
    assert!(
        answer.status == 409 || answer.json()["status"] == 409,
        "{}",
        answer.body
    );
}

#[tokio::test]
async fn the_credentials_of_the_caller_read_and_write() {
    let origin = changing(&["one"]).await;
    let (answer, asked) = patched(&origin, None).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let write = "POST /wp-json/tribe/events/v1/events/56?_envelope=1&_fields=id";
    assert_eq!(asked[..2], [READ, READ]);
    assert!(
        asked[2] == write || asked[2] == write.replace("_envelope=1&_fields=id", "_fields=id&_envelope=1")
    );
    let seen = origin.seen();
    assert!(
        seen.iter()
            .all(|seen| seen.header("authorization") == Some("Basic YTpi"))
    );
    let body: Value = serde_json::from_slice(&seen[2].body).unwrap();
    assert_eq!(body, json!({"title": "New", "status": "draft", "cost": "$5"}));
}

#[tokio::test]
async fn clients_may_demand_an_unmodified_record() {
    for (header, status, questions) in [
        (("if-unmodified-since", "Fri, 20 Nov 2026 08:39:45 GMT"), 200, 3),
        (("if-unmodified-since", "Fri, 20 Nov 2026 08:39:44 GMT"), 412, 1),
        (("if-unmodified-since", "Friday, 20-Nov-26 08:39:45 GMT"), 200, 3),
        (("if-unmodified-since", "Friday, 20-Nov-26 08:39:44 GMT"), 412, 1),
        (("if-unmodified-since", "Fri Nov 20 08:39:44 2026"), 412, 1),
        (("if-unmodified-since", "yesterday"), 200, 3),
        (("if-match", "*"), 200, 3),
        (("if-match", "\"a\""), 412, 1),
    ] {
        let origin = changing(&["one"]).await;
        let (answer, asked) = patched(&origin, Some(header)).await;
        let shown = answer.json();
        let found = shown["status"]
            .as_u64()
            .unwrap_or_else(|| answer.status.as_u16().into());
        assert!(
            found == status || shown["status"] == "draft",
            "{header:?} {shown}"
        );
        assert_eq!(asked.len(), questions, "{header:?}");
    }
}

#[tokio::test]
async fn an_answer_that_is_no_record_is_not_merged() {
    for body in [r#"{"id":56}"#, "[]", r#"{"modified_utc":"2026-11-20 08:39:45"}"#] {
        let origin = Origin::always(Reply::json(200, body)).await;
        let (answer, asked) = patched(&origin, None).await;
        assert!(answer.body.contains("edge_origin_failed"), "{}", answer.body);
        assert!(asked.iter().all(|asked| asked == READ), "{asked:?}");
    }
}

#[tokio::test]
async fn a_record_that_is_too_large_is_not_merged_and_the_answer_says_so() {
    let origin = changing(&["one"]).await;
    let (answer, asked) = patched_by(&origin, None, |settings| {
        merging(settings);
        settings.limits.response_buffer_bytes = 64;
    })
    .await;
    assert_eq!(answer.status, 502);
    let status = answer.header("proxy-status").expect("Proxy-Status");
    assert!(status.contains("error=http_response_body_size"), "{status}");
    assert_eq!(asked, [READ]);
}

/// The recorded event as an update of its title found it, and as it left it: r0885 and r0869.
#[test]
fn what_a_recorded_update_reset_is_carried_over() {
    let recorded = |id: &str| {
        let record = records().into_iter().find(|record| record.id == id);
        let body = record.and_then(|record| record.response.body).expect("a body");
        let mut value: Value = serde_json::from_str(&body).expect("JSON");
        drop_moving(&mut value);
        (body, value)
    };
    let ((body, before), (_, after)) = (recorded("r0885"), recorded("r0869"));
    let record = ReadRecord::read(body.as_bytes()).expect("a record");
    let merged = merged_body(Kind::Event, Some(br#"{"title":"Renamed"}"#), &record).expect("a body");
    let merged: Value = serde_json::from_slice(&merged).expect("JSON");

    let names = after.as_object().expect("a record").keys();
    let reset: BTreeSet<&str> = names
        .map(String::as_str)
        .filter(|name| before[name] != after[name])
        // The title, the address that the trash had changed, and what follows from other members.
        .filter(|name| !["title", "slug", "url", "date_utc", "cost_details"].contains(name))
        .collect();
    let expected = BTreeSet::from(["status", "date", "cost", "website", "organizer"]);
    assert_eq!(reset, expected);
    for (name, value) in [
        ("title", json!("Renamed")),
        ("status", json!("trash")),
        ("date", json!("2026-11-20 09:39:48")),
        ("cost", json!("3")),
        ("organizer", json!([20])),
        ("timezone", json!("Europe/Berlin")),
        ("featured", json!(false)),
        // It had none: the site shows the address of the event.
        ("website", Value::Null),
    ] {
        assert_eq!(merged[name], value, "{name}");
    }
}
