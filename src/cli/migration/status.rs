//! `migration status`: rules, shares, guards and verdicts.

use std::io::{self, Write};

use anyhow::Context as _;
use calendar_edge::telemetry::printable;
use calendar_edge_core::migration::outbox_lines;
use jiff::Timestamp;
use serde_json::Value;

use super::super::admin_client::AdminClient;
use super::super::args::{EdgeArgs, OutputArgs};
use super::super::status::{Status, could_not_run};

/// Prints the state of rules. Statuses: 0 no guard has returned calls, 1 a guard has, 2 it could not run.
pub(super) fn run(edge: &EdgeArgs, output: &OutputArgs, out: &mut dyn Write) -> anyhow::Result<Status> {
    let asked = || AdminClient::new(edge)?.get("/migration?outbox=1");
    let Some(page) = could_not_run(asked())? else {
        return Ok(Status::Unusable);
    };
    if output.json {
        writeln!(out, "{page:#}")
    } else {
        write(&page, out)
    }
    .context("standard output")?;
    let page = &page;
    let mut rules = page["rules"].as_array().into_iter().flatten();
    Ok(if rules.any(|rule| !rule["returned"].is_null()) {
        Status::Failure
    } else {
        Status::Success
    })
}

fn write(page: &Value, out: &mut dyn Write) -> io::Result<()> {
    let rules = page["rules"].as_array().map(Vec::as_slice).unwrap_or_default();
    if rules.is_empty() {
        writeln!(out, "no rule of [[cutover]]: the site serves all calls")?;
    }
    for rule in rules {
        write_rule(rule, out)?;
    }
    for (backend, report) in page["backends"].as_object().into_iter().flatten() {
        writeln!(out, "{backend}: {} calls compared", report["calls"])?;
        if report["outbox"].is_object() {
            for line in outbox_lines(&report["outbox"]) {
                writeln!(out, "  outbox: {}", printable(&line))?;
            }
        }
        for (operation, found) in report["operations"].as_object().into_iter().flatten() {
            let verdict = text(&found["verdict"]).replace('_', " ");
            writeln!(
                out,
                "  {operation:<24} {verdict}: {}",
                printable(text(&found["why"]))
            )?;
        }
    }
    Ok(())
}

fn write_rule(rule: &Value, out: &mut dyn Write) -> io::Result<()> {
    let listed = |name: &str| {
        let items = rule[name].as_array().into_iter().flatten();
        items.filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
    };
    writeln!(
        out,
        "{}: {} of {} to {}: {} of the clients",
        text(&rule["name"]),
        text(&rule["methods"]),
        listed("operations"),
        text(&rule["backend"]),
        text(&rule["share"])
    )?;
    if let Some(guard) = rule["guard"].as_object() {
        writeln!(
            out,
            "  guard: {} of {} calls failed, {} of {} compared responses differ",
            guard["failed"], guard["calls"], guard["different"], guard["compared"]
        )?;
    }
    if let Some(returned) = rule["returned"].as_object() {
        let reason = printable(text(&returned["reason"]));
        writeln!(
            out,
            "  RETURNED to the site at {}: {reason}",
            time(&returned["at"])
        )?;
        writeln!(
            out,
            "  `calendar-edge migration resume {}` lets it take clients again",
            text(&rule["name"])
        )?;
    }
    Ok(())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// A time in seconds since 1970.
fn time(value: &Value) -> String {
    let time = value
        .as_i64()
        .and_then(|seconds| Timestamp::from_second(seconds).ok());
    time.map_or_else(String::new, |time| time.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_page_is_told_in_lines() {
        let page = json!({
            "rules": [{
                "name": "venues-read", "backend": "next", "operations": ["venues.*"], "methods": "reads",
                "share": "0%", "guard": {"calls": 20, "failed": 3, "compared": 5, "different": 0}, "returned": {"reason": "3 of 20 calls failed, more than 1%", "at": 60},
            }],
            "backends": {"next": {"calls": 5, "operations": {
                "venues.list": {"verdict": "not_ready", "why": "different at 1 paths: zip\u{1b}"},
            }, "outbox": {"copied": true, "sent": 4, "waiting": 1, "oldest_seconds": 2, "refused": []}}},
        });
        let mut out = Vec::new();
        write(&page, &mut out).unwrap();
        let expected = "venues-read: reads of venues.* to next: 0% of the clients\n  \
            guard: 3 of 20 calls failed, 0 of 5 compared responses differ\n  \
            RETURNED to the site at 1970-01-01T00:01:00Z: 3 of 20 calls failed, more than 1%\n  \
            `calendar-edge migration resume venues-read` lets it take clients again\n\
            next: 5 calls compared\n  \
            outbox: 4 records copied to the site, 1 wait, the oldest for 2 s, 0 refused\n  \
            venues.list              not ready: different at 1 paths: zip\\u{1b}\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
