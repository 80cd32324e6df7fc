//! What subscribers to the calendar see of events that the feed knows as gone.

use std::time::{Duration, Instant};

use super::feed_site::{FeedScene, Status};

const FILE: &str = "/wp-json/calendar/events/v1/events.ics";

/// The lines of the first event of a record in a calendar.
fn event(calendar: &str, id: u64) -> Option<&str> {
    let events = calendar.split("BEGIN:VEVENT\r\n").skip(1);
    let mut events = events.filter_map(|event| event.split("END:VEVENT").next());
    events.find(|event| event.starts_with(&format!("UID:{id}-")))
}

async fn scene() -> FeedScene {
    FeedScene::with(&["events/50", "events/51", "events/52"], |settings| {
        settings.forms.calendar = true;
    })
    .await
}

/// The calendar, once it cancels an event.
async fn cancelling(scene: &FeedScene) -> String {
    let begun = Instant::now();
    loop {
        let calendar = scene.edge.get(FILE).await.body;
        if calendar.contains("STATUS:CANCELLED") {
            return calendar;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{calendar}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn an_event_that_is_gone_is_cancelled_until_it_is_back() {
    let scene = scene().await;
    let before = scene.edge.get(FILE).await.body;
    assert!(
        event(&before, 51).is_some() && !before.contains("CANCELLED"),
        "{before}"
    );
    scene.change("events/51", Status::Trashed).await;
    let after = cancelling(&scene).await;
    let gone = event(&after, 51).expect("it is still there");
    assert!(
        gone.contains("STATUS:CANCELLED\r\n") && gone.contains("SEQUENCE:"),
        "{gone}"
    );
    for id in [50, 52] {
        assert_eq!(event(&before, id), event(&after, id));
    }
    // Nobody asks again what became of it.
    let reads = scene.site.reads();
    assert!(scene.edge.get(FILE).await.body.contains("STATUS:CANCELLED"));
    assert_eq!(scene.site.reads(), reads);
    scene.change("events/51", Status::Published).await;
    let back = scene.edge.get(FILE).await.body;
    assert_eq!(event(&back, 51), event(&before, 51));
}

#[tokio::test]
async fn a_selection_cancels_nothing() {
    let scene = scene().await;
    let selection = format!("{FILE}?categories=4");
    scene.edge.get(FILE).await;
    scene.edge.get(&selection).await;
    scene.change("events/51", Status::Trashed).await;
    cancelling(&scene).await;
    let selected = scene.edge.get(&selection).await.body;
    assert!(
        event(&selected, 51).is_none() && event(&selected, 50).is_some(),
        "{selected}"
    );
}
