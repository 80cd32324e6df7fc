//! Reports as text.

use std::io::{self, Write};

use calendar_edge::telemetry::printable;
use calendar_edge_core::settings::PRIMARY;
use serde_json::Value;

/// Writes a report about another backend by operation, the worst paths first.
pub(super) fn report(json: &Value, other: &str, out: &mut dyn Write) -> io::Result<()> {
    for (name, operation) in json["operations"].as_object().into_iter().flatten() {
        let (verdict, why) = (text(&operation["verdict"]), text(&operation["why"]));
        writeln!(
            out,
            "{name}: {} calls, {}: {}",
            operation["calls"],
            verdict.replace('_', " "),
            printable(&why)
        )?;
        for path in operation["paths"].as_array().into_iter().flatten() {
            let (class, place) = (text(&path["class"]), text(&path["path"]));
            writeln!(
                out,
                "  {class:14} {}  ({} calls)",
                printable(&place),
                path["count"]
            )?;
            example(&path["example"], other, out)?;
            if let Some(call) = path["call"].as_str() {
                writeln!(out, "      at {}", printable(call))?;
            }
        }
    }
    for rule in json["ended_rules"].as_array().into_iter().flatten() {
        let (path, reason, until) = (text(&rule["path"]), text(&rule["reason"]), text(&rule["until"]));
        let line = format!("the rule for {path} ({reason}) ended on {until}: its differences count again");
        writeln!(out, "{}", printable(&line))?;
    }
    Ok(())
}

fn example(pair: &Value, other: &str, out: &mut dyn Write) -> io::Result<()> {
    let width = PRIMARY.len().max(other.len());
    for (name, value) in [(PRIMARY, &pair["owner"]), (other, &pair["other"])] {
        writeln!(out, "      {name:width$}  {}", printable(&value.to_string()))?;
    }
    Ok(())
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
