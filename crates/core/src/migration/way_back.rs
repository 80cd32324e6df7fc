//! The outbox of a candidate and the way back: records written there that the site has, or lacks.

use serde_json::Value;

use super::cutover::takes_writes;
use crate::settings::Settings;

/// Where a candidate shows its outbox, below its REST root.
pub const OUTBOX: &str = "calendar-edge/v1/outbox";

/// Writes go to the candidate, and nothing copies them to the site.
const MISSING: &str =
    "nothing copies what is written there to the site: clients lose it when its rule is removed";

/// The finding if nothing copies the writes of clients at a backend; none: something does, or they write nothing there.
pub fn without_way_back(settings: &Settings, backend: &str, outbox: Option<&Value>) -> Option<&'static str> {
    let is_copied = outbox.is_some_and(|outbox| outbox["copied"] == true);
    (writes_there(settings, backend) && !is_copied).then_some(MISSING)
}

/// The finding if the site does not have the records that were written at a backend, although no rule leads clients
/// there any more.
pub fn left_behind(settings: &Settings, backend: &str, outbox: &Value) -> Option<String> {
    let (waiting, refused) = held(outbox);
    let held = waiting + refused;
    let is_left = held > 0 && !writes_there(settings, backend);
    is_left.then(|| {
        format!(
            "the site does not have {held} records that were written there: keep the rule of [[cutover]] until \
             `calendar-edge migration status` shows that none waits and none is refused"
        )
    })
}

/// An outbox in lines: what waits, why, and what the site refuses.
pub fn outbox_lines(outbox: &Value) -> Vec<String> {
    let (waiting, refused) = held(outbox);
    let oldest = outbox["oldest_seconds"].as_u64();
    let oldest = oldest.map_or_else(String::new, |seconds| format!(", the oldest for {seconds} s"));
    let is_off = if outbox["copied"] == true {
        ""
    } else {
        ", and nothing copies them"
    };
    let mut lines = vec![format!(
        "{} records copied to the site, {waiting} wait{oldest}{is_off}, {refused} refused",
        outbox["sent"].as_u64().unwrap_or(0)
    )];
    let failure = outbox["failure"].as_str().filter(|_| waiting > 0);
    lines.extend(failure.map(|failure| format!("the last copy failed: {failure}")));
    for entry in outbox["refused"].as_array().into_iter().flatten() {
        let text = |name: &str| entry[name].as_str().unwrap_or_default();
        lines.push(format!(
            "REFUSED {} {}: {}",
            text("kind"),
            entry["id"],
            text("words")
        ));
    }
    lines
}

fn held(outbox: &Value) -> (usize, usize) {
    let waiting = outbox["waiting"].as_u64().unwrap_or(0);
    let refused = outbox["refused"].as_array().map_or(0, Vec::len);
    (usize::try_from(waiting).unwrap_or(usize::MAX), refused)
}

/// True if a rule leads writes to a store that is the backend's own.
fn writes_there(settings: &Settings, backend: &str) -> bool {
    let mut rules = settings.cutover.iter();
    rules.any(|rule| rule.backend == backend && !rule.same_store && takes_writes(rule))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::settings::{CutMethods, CutoverRule, OperationPattern};

    fn settings(methods: CutMethods, same_store: bool) -> Settings {
        let mut settings = Settings::for_origin("http://wp.example/wp-json".parse().unwrap());
        settings.cutover = vec![CutoverRule {
            backend: "next".to_owned(),
            operations: vec![OperationPattern::parse("*").unwrap()],
            methods,
            same_store,
            ..CutoverRule::default()
        }];
        settings
    }

    #[test]
    fn writes_need_a_way_back_and_a_rule_until_the_site_has_them() {
        let (writes, reads) = (
            settings(CutMethods::All, false),
            settings(CutMethods::Reads, false),
        );
        let outbox =
            |waiting: u64, refused: &[&str]| json!({"copied": true, "waiting": waiting, "refused": refused});
        assert!(without_way_back(&writes, "next", None).is_some());
        assert!(without_way_back(&writes, "next", Some(&json!({"copied": false}))).is_some());
        assert_eq!(without_way_back(&writes, "next", Some(&outbox(5, &[]))), None);
        assert_eq!(without_way_back(&writes, "other", None), None);
        assert_eq!(without_way_back(&reads, "next", None), None);
        assert_eq!(
            without_way_back(&settings(CutMethods::All, true), "next", None),
            None
        );
        assert_eq!(left_behind(&writes, "next", &outbox(5, &[])), None);
        assert_eq!(left_behind(&reads, "next", &outbox(0, &[])), None);
        for held in [outbox(1, &[]), outbox(0, &["x"])] {
            let said = left_behind(&reads, "next", &held).unwrap();
            assert!(said.contains("does not have 1 records"), "{said}");
        }
    }

    #[test]
    fn an_outbox_is_told_in_lines() {
        let outbox = json!({
            "copied": true, "sent": 40, "waiting": 3, "oldest_seconds": 12, "failure": "503 busy: ",
            "refused": [{"kind": "event", "id": 7, "words": "400 no"}],
        });
        assert_eq!(
            outbox_lines(&outbox),
            [
                "40 records copied to the site, 3 wait, the oldest for 12 s, 1 refused",
                "the last copy failed: 503 busy: ",
                "REFUSED event 7: 400 no",
            ]
        );
        assert_eq!(
            outbox_lines(&json!({"copied": false, "waiting": 0})),
            ["0 records copied to the site, 0 wait, and nothing copies them, 0 refused"]
        );
    }
}
