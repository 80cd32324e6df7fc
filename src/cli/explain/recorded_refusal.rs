//! The explanation of a request that a running edge refused, or forwarded although it breaks rules.

use calendar_edge_core::surface::SURFACE_RULE;
use serde_json::Value;

use super::super::admin_client::AdminClient;
use super::super::status::Misuse;
use super::text::{filled, items, text};

/// The refusal with this id of the edge.
pub(super) fn find(client: &AdminClient, id: &str) -> anyhow::Result<Value> {
    let is_sane = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:=/".contains(&byte);
    if id.is_empty() || !id.bytes().all(is_sane) {
        return Err(Misuse("ID is the id of a request, as X-Request-Id and the log show it").into());
    }
    client.get(&format!("/refusals/{id}"))
}

pub(super) fn lines(kept: &Value) -> Vec<String> {
    let target = kept.pointer("/request/target").unwrap_or(&kept["path"]);
    let mut lines = vec![format!("{} {}", text(&kept["method"]), text(target))];
    for name in ["time", "client", "operation", "mode"] {
        lines.push(format!("  {name:<10} {}", kept[name].as_str().unwrap_or("-")));
    }
    lines.push(String::new());
    lines.extend(match text(&kept["action"]) {
        "forwarded" => site(&kept["site"], items(&kept["findings"])),
        _ => filled("refused with {status} {code}", kept),
    });
    lines.extend(filled("  {meaning}", kept));
    for finding in items(&kept["findings"]) {
        let broken = if finding["rule"] == SURFACE_RULE {
            "  the rule {parameter} of [[surface]] refuses it"
        } else {
            "  {parameter} breaks the rule {rule}"
        };
        lines.extend(filled(broken, finding).or_else(|| filled("  {code}", finding)));
        lines.extend(filled("    {meaning}", finding));
    }
    for template in [
        "  refused in every mode: {refused_in_every_mode_because}",
        "  what to do: {remedy}",
    ] {
        lines.extend(filled(template, kept));
    }
    lines.extend(request(&kept["request"]));
    lines
}

/// The site's response to a request that was forwarded.
fn site(site: &Value, findings: &[Value]) -> Option<String> {
    let accepted = if findings.iter().all(|finding| finding["rule"] == "undeclared") {
        "forwarded, and the site responded with {status}: `enforce` would forward it without these parameters"
    } else {
        "forwarded, and the site responded with {status}: `enforce` would refuse what it takes"
    };
    let failed = match text(&site["outcome"]) {
        "accepted" => return filled(accepted, site),
        "refused" => "forwarded, and the site refused it with {status}",
        _ => "forwarded, and the site failed with {status}",
    };
    Some(filled(failed, site)? + &filled(" {code}", site).unwrap_or_default())
}

fn request(request: &Value) -> Vec<String> {
    if !request.is_object() {
        return Vec::new();
    }
    let mut lines = vec![String::new(), "the request, without its secrets".to_owned()];
    for header in items(&request["headers"]) {
        lines.push(format!("  {}: {}", text(&header[0]), text(&header[1])));
    }
    let body = &request["body"];
    lines.extend(text(&body["kept"]).lines().map(|line| format!("  {line}")));
    lines.extend(filled("  no body: {left_out}", body));
    lines
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
