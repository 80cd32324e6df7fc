//! A PATCH above a fake backend: one read, one look at it again, and one write, or none.

use http::Method;
use tokio::time::sleep;

use super::*;
use crate::calls::fake_stage::{self, EVENT, FakeStage, call, responded};
use calendar_edge_core::settings::{OperationSettings, PatchPolicy};

const RECORD: &str =
    r#"{"id":56,"status":"publish","modified_utc":"2026-11-20 08:39:45","title":"A","featured":true}"#;
const PATCH: &str = r#"{"title":"B"}"#;

type FakeSite = FakeStage<CalendarCall, BackendResult>;

fn settings() -> Settings {
    let mut settings = fake_stage::settings();
    let merging = OperationSettings {
        patch: PatchPolicy::Merge,
        ..OperationSettings::default()
    };
    let id = table().named("events.update").expect("an operation").id;
    settings.operations.insert(id, merging);
    settings
}

/// The stage above a backend that takes a time for each exchange, and gives these records to reads in turn.
fn merging(
    records: &'static [(StatusCode, &'static str)],
    time: Duration,
) -> (Merging<Arc<FakeSite>>, Arc<FakeSite>) {
    let reads = Mutex::new(records.iter().cycle());
    let below = FakeStage::later(move |call: &CalendarCall| {
        let record = if call.call.is_write() {
            Some(&(StatusCode::OK, RECORD))
        } else {
            reads.lock().next()
        };
        let (status, record) = record.expect("a record");
        let result = responded(call, *status, record);
        async move {
            sleep(time).await;
            result
        }
    });
    (Merging::new(Arc::clone(&below), &settings()), below)
}

fn patch(path: &str) -> CalendarCall {
    call(&settings(), "PATCH", path, PATCH)
}

fn methods(below: &FakeSite) -> Vec<Method> {
    below.each(|call| call.call.request().method.clone())
}

/// True for each exchange that was a write.
fn writes(below: &FakeSite) -> Vec<bool> {
    below.each(|call| call.call.is_write())
}

#[tokio::test]
async fn a_patch_becomes_two_reads_and_a_write_that_keeps_what_was_not_sent() {
    let (stage, below) = merging(&[(StatusCode::OK, RECORD)], Duration::ZERO);
    assert!(stage.call(patch("/events/56")).await.is_ok());
    assert_eq!(writes(&below), [false, false, true], "{:?}", methods(&below));
    let bodies = below.each(|call| call.call.request().body.clone());
    let written = bodies[2].as_deref().expect("a body");
    let written: serde_json::Value = serde_json::from_slice(written).expect("JSON");
    assert_eq!(
        (&written["title"], &written["featured"]),
        (&"B".into(), &true.into())
    );
}

#[tokio::test]
async fn other_writes_pass_unread() {
    let (stage, below) = merging(&[], Duration::ZERO);
    for (method, path) in [("PUT", "/events/56"), ("POST", "/events")] {
        let call = call(&settings(), method, path, EVENT);
        assert!(stage.call(call).await.is_ok(), "{method}");
    }
    assert_eq!(writes(&below), [true, true]);
}

#[tokio::test]
async fn a_record_that_changes_meanwhile_is_not_written() {
    const LATER: &str = r#"{"id":56,"status":"publish","modified_utc":"2026-11-20 08:39:46","title":"C"}"#;
    let (stage, below) = merging(
        &[(StatusCode::OK, RECORD), (StatusCode::OK, LATER)],
        Duration::ZERO,
    );
    let result = stage.call(patch("/events/56")).await;
    assert!(matches!(result, Err(CallFailure::Conflict)), "{result:?}");
    assert_eq!(writes(&below), [false, false]);
}

#[tokio::test]
async fn a_refused_read_is_the_response_to_the_patch() {
    const REFUSED: &str = r#"{"code":"rest_forbidden","message":"No.","data":{"status":403}}"#;
    let (stage, below) = merging(&[(StatusCode::FORBIDDEN, REFUSED)], Duration::ZERO);
    let refused = stage.call(patch("/events/56")).await.expect("a response");
    assert_eq!(refused.status(), StatusCode::FORBIDDEN);
    assert_eq!(writes(&below), [false]);
}

#[tokio::test(start_paused = true)]
async fn two_patches_of_one_record_follow_each_other_and_others_do_not_wait() {
    let (stage, below) = merging(&[(StatusCode::OK, RECORD)], Duration::from_secs(1));
    let (one, two) = tokio::join!(stage.call(patch("/events/56")), stage.call(patch("/events/56")));
    assert!(one.is_ok() && two.is_ok());
    assert_eq!(writes(&below), [false, false, true, false, false, true]);
    let (stage, below) = merging(&[(StatusCode::OK, RECORD)], Duration::from_secs(1));
    let (one, two) = tokio::join!(stage.call(patch("/events/56")), stage.call(patch("/events/57")));
    assert!(one.is_ok() && two.is_ok());
    assert_eq!(writes(&below), [false, false, false, false, true, true]);
}

#[tokio::test(start_paused = true)]
async fn a_patch_waits_for_its_turn_no_longer_than_a_call_in_the_queue() {
    let patience = settings().timeouts.origin_queue;
    let (stage, below) = merging(&[(StatusCode::OK, RECORD)], patience);
    let (one, two) = tokio::join!(stage.call(patch("/events/56")), stage.call(patch("/events/56")));
    assert!(one.is_ok());
    let is_overloaded = matches!(two, Err(CallFailure::Exchange(ExchangeFailure::Overloaded)));
    assert!(is_overloaded, "{two:?}");
    assert_eq!(below.begun(), 3);
}
