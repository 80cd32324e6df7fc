//! The explanation of a request that a running edge refused, or forwarded although it breaks rules.

use std::io::Write;

use anyhow::Context as _;
use calendar_edge::telemetry::{printable, printable_json};
use calendar_edge_core::surface::SURFACE_RULE;
use serde_json::Value;

use super::super::admin_client::AdminClient;
use super::super::status::{Misuse, Status};
use super::explain_args::ExplainArgs;

/// Asks the admin listener for the refusal with this id, and prints it.
pub(super) fn run(id: &str, args: &ExplainArgs, out: &mut dyn Write) -> anyhow::Result<Status> {
    let is_sane = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:=/".contains(&byte);
    if id.is_empty() || !id.bytes().all(is_sane) {
        return Err(Misuse("ID is the id of a request, as X-Request-Id and the log show it").into());
    }
    let client = AdminClient::new(&args.edge)?;
    let kept = find(&client, &format!("/refusals/{id}"))?;
    if args.output.json {
        writeln!(out, "{}", printable_json(&format!("{kept:#}")))
    } else {
        // Hidden characters of the request cannot reach the terminal.
        lines(&kept)
            .iter()
            .try_for_each(|line| writeln!(out, "{}", printable(line)))
    }
    .context("standard output")?;
    Ok(match kept.get("action").and_then(Value::as_str) {
        Some("forwarded") => Status::Success,
        _ => Status::Refused,
    })
}

/// Asks the edge, and then the others of its fleet that advertise an address: the load balancer chose one of them.
fn find(client: &AdminClient, path: &str) -> anyhow::Result<Value> {
    let own = client.get(path);
    let Err(error) = own else { return own };
    let members = client.get("/status").unwrap_or_default();
    let members = members.pointer("/fleet/members").and_then(Value::as_array);
    let addresses = members
        .into_iter()
        .flatten()
        .filter_map(|member| member["admin"].as_str());
    let mut found = addresses.filter_map(|address| client.get_at(address, path).ok());
    found.next().ok_or(error)
}

fn lines(kept: &Value) -> Vec<String> {
    let text = |name: &str| shown(kept.get(name).unwrap_or(&Value::Null));
    let target = kept.pointer("/request/target").and_then(Value::as_str);
    let target = target.map_or_else(|| text("path"), str::to_owned);
    let mut lines = vec![format!("{} {target}", text("method"))];
    for name in ["time", "client", "operation", "mode"] {
        lines.push(format!("  {name:<10} {}", text(name)));
    }
    lines.push(String::new());
    lines.push(match kept["action"].as_str() {
        Some("forwarded") => site(&kept["site"], &kept["findings"]),
        _ => format!("refused with {} {}", text("status"), text("code")),
    });
    lines.extend(kept["meaning"].as_str().map(|meaning| format!("  {meaning}")));
    lines.extend(findings(&kept["findings"]));
    for (name, words) in [
        ("refused_in_every_mode_because", "refused in every mode"),
        ("remedy", "what to do"),
    ] {
        lines.extend(kept[name].as_str().map(|text| format!("  {words}: {text}")));
    }
    lines.extend(request(&kept["request"]));
    lines
}

/// What the site made of a request that was forwarded.
fn site(site: &Value, findings: &Value) -> String {
    let mut findings = findings.as_array().into_iter().flatten();
    let enforced = if findings.all(|finding| finding["rule"] == "undeclared") {
        "`enforce` would forward it without these parameters"
    } else {
        "`enforce` would refuse what it takes"
    };
    let status = shown(&site["status"]);
    let code = site["code"]
        .as_str()
        .map_or(String::new(), |code| format!(" {code}"));
    match site["outcome"].as_str() {
        Some("answered") => format!("forwarded, and the site answered with {status}: {enforced}"),
        Some("refused") => format!("forwarded, and the site refused it with {status}{code}"),
        _ => format!("forwarded, and the site failed with {status}{code}"),
    }
}

fn findings(findings: &Value) -> Vec<String> {
    let findings = findings.as_array().into_iter().flatten();
    findings
        .flat_map(|finding| {
            let named = match finding["parameter"].as_str() {
                Some(rule) if finding["rule"] == SURFACE_RULE => {
                    format!("  the rule {rule} of [[surface]] refuses it")
                }
                Some(parameter) => format!("  {parameter} breaks the rule {}", shown(&finding["rule"])),
                None => format!("  {}", shown(&finding["code"])),
            };
            let meaning = finding["meaning"]
                .as_str()
                .map(|meaning| format!("    {meaning}"));
            std::iter::once(named).chain(meaning)
        })
        .collect()
}

fn request(request: &Value) -> Vec<String> {
    if !request.is_object() {
        return Vec::new();
    }
    let mut lines = vec![String::new(), "the request, without its secrets".to_owned()];
    for header in request["headers"].as_array().into_iter().flatten() {
        lines.push(format!("  {}: {}", shown(&header[0]), shown(&header[1])));
    }
    let body = |name: &str| request.pointer(&format!("/body/{name}")).and_then(Value::as_str);
    match (body("kept"), body("left_out")) {
        (Some(""), _) | (None, None) => {}
        (Some(body), _) => lines.extend(body.lines().map(|line| format!("  {line}"))),
        (None, Some(reason)) => lines.push(format!("  no body: {reason}")),
    }
    lines
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "-".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_refusal_is_told_in_lines() {
        let kept = json!({
            "id": "a", "time": "2026-11-22T06:00:00.000Z", "client": "192.0.2.1", "method": "GET",
            "path": "/wp-json", "operation": "events.list", "mode": "enforce", "status": 400,
            "code": "rest_invalid_param", "decided_by": "rules",
            "findings": [{"parameter": "page", "rule": "positive_int", "code": "rest_invalid_param"}],
            "request": {"target": "/wp-json?page=0", "headers": [["host", "a\u{1b}"]], "body": {"kept": ""}},
        });
        let text = lines(&kept).join("\n");
        for line in [
            "GET /wp-json?page=0",
            "refused with 400 rest_invalid_param",
            "  page breaks the rule positive_int",
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
    }
}
