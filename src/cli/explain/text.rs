//! The story as text.

use std::io::{self, Write};

use calendar_edge::telemetry::printable;
use serde_json::Value;

/// Writes the story; hidden characters of the request cannot reach the terminal.
pub(super) fn write(story: &Value, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = vec![format!("{} {}", text(&story["method"]), text(&story["target"]))];
    about(story, &mut lines);
    values(story, &mut lines);
    outcome(story, &mut lines);
    for line in lines {
        writeln!(out, "{}", printable(&line))?;
    }
    Ok(())
}

fn about(story: &Value, lines: &mut Vec<String>) {
    let (index, rule) = (judged_by(&story["index"]), surface(&story["surface"]));
    let page = page(&story["page"]);
    let answers = answers(&story["answers"]);
    let facts = [
        ("root", story["root"].as_str()),
        ("namespace", story["namespace"].as_str()),
        ("index", Some(index.as_str())),
        ("route", story["route"].as_str()),
        ("operation", story["operation"].as_str()),
        ("mode", story["mode"].as_str()),
        ("rule", rule.as_deref()),
        ("page", page.as_deref()),
        ("answers", answers.as_deref()),
        ("caller", story["caller"].as_str()),
        ("assumed", story["assumed_content_type"].as_str()),
    ];
    for (name, fact) in facts {
        lines.extend(fact.map(|fact| format!("  {name:<10} {fact}")));
    }
}

/// Where the index is from, and why it is from no better place.
fn judged_by(index: &Value) -> String {
    let place = text(&index["place"]);
    let source = match text(&index["from"]) {
        "edge" => format!("as the running edge at {place} knows it"),
        "file" => format!("of the file {place}"),
        "site" => format!("read from {place}"),
        _ => "unknown: judged by the edge's own table".to_owned(),
    };
    let source = match index["mode"].as_str() {
        Some(mode) => format!("{source}, whose mode is `{mode}` other than in the file"),
        None => source,
    };
    match joined(&index["instead_of"], "; ") {
        reasons if reasons.is_empty() => source,
        reasons => format!("{source} ({reasons})"),
    }
}

/// The version whose contract the client gets, and the rows between it and the site.
fn answers(answers: &Value) -> Option<String> {
    let version = answers["version"].as_str()?;
    let row = |row: &Value| {
        let fate = if row["is_translated"] == true {
            "translated"
        } else {
            "not translated"
        };
        format!("{} ({}, {fate})", text(&row["name"]), text(&row["since"]))
    };
    let rows: Vec<String> = items(&answers["rows"]).iter().map(row).collect();
    let site = text(&answers["site"]);
    let between = if rows.is_empty() {
        "no row".to_owned()
    } else {
        rows.join(", ")
    };
    Some(format!(
        "as {version}; between it and the site ({site}): {between}"
    ))
}

/// The rule of `[[surface]]` that takes a request to the rest of the site.
fn surface(surface: &Value) -> Option<String> {
    let rule = surface["rule"].as_str()?;
    let (mode, callers) = (text(&surface["mode"]), text(&surface["callers"]));
    let passes = if surface["passes"] == true {
        "passes"
    } else {
        "does not pass"
    };
    let rate = if surface["has_rate"] == true {
        ", up to its rate"
    } else {
        ""
    };
    Some(format!(
        "{rule} of [[surface]], mode {mode}: {callers} may call, and this caller {passes}{rate}"
    ))
}

/// What becomes of a calendar page, and why.
fn page(page: &Value) -> Option<String> {
    let because = page["because"].as_str()?.replace('_', " ");
    let kind = page["kind"]
        .as_str()
        .map(|kind| format!("{}: ", kind.replace('_', " ")));
    let becomes = page["becomes"].as_str().unwrap_or("unknown").replace('_', " ");
    Some(format!("{}{becomes} ({because})", kind.unwrap_or_default()))
}

fn values(story: &Value, lines: &mut Vec<String>) {
    let arguments = items(&story["arguments"]);
    if !arguments.is_empty() {
        lines.push(String::new());
        lines.push("arguments".to_owned());
    }
    let names = arguments.iter().map(|argument| text(&argument["name"]));
    let width = names.map(str::len).max().unwrap_or(0);
    for argument in arguments {
        let [name, source, value, rule, verdict] =
            ["name", "source", "value", "rule", "verdict"].map(|member| text(&argument[member]));
        let sent_as = match joined(&argument["sent_as"], ", ") {
            names if names.is_empty() => String::new(),
            names => format!(", sent as {names}"),
        };
        let schema = argument["type"]
            .as_str()
            .map(|schema| format!(", then of type {schema}"))
            .unwrap_or_default();
        lines.push(format!(
            "  {name:<width$}  {source:<5}  {value} is {rule}: {verdict}{schema}{sent_as}"
        ));
    }
    let undeclared = items(&story["undeclared"]);
    if !undeclared.is_empty() {
        lines.push(String::new());
        lines.push("beyond the table".to_owned());
    }
    for parameter in undeclared {
        let [name, source, fate] = ["name", "source", "fate"].map(|member| text(&parameter[member]));
        lines.push(format!("  {name} ({source}) {fate}"));
    }
}

fn outcome(story: &Value, lines: &mut Vec<String>) {
    lines.push(String::new());
    lines.push(match text(&story["outcome"]) {
        "site" => "forwarded as it is: not a calendar call, and `other` is \"forward\"".to_owned(),
        "preflight" => "answered by the edge: a browser's preflight".to_owned(),
        "rest index" => "answered by the edge: an index with the routes of the calendar".to_owned(),
        "OpenAPI document" => "answered by the edge: the OpenAPI document".to_owned(),
        outcome => outcome.to_owned(),
    });
    for finding in items(&story["findings"]) {
        let (code, rule) = (text(&finding["code"]), text(&finding["rule"]));
        lines.push(match finding["parameter"].as_str() {
            Some(parameter) => format!("  {code}: {parameter} is not {rule}"),
            None => format!("  {code}"),
        });
        lines.extend(
            finding["meaning"]
                .as_str()
                .map(|meaning| format!("    {meaning}")),
        );
    }
    let request = &story["request"];
    if request.is_object() {
        lines.push(format!(
            "  {} {}",
            text(&request["method"]),
            text(&request["url"])
        ));
        for header in items(&request["headers"]) {
            lines.push(format!("  {}: {}", text(&header[0]), text(&header[1])));
        }
        lines.extend(request["body"].as_str().map(|body| format!("  {body}")));
    }
    let backends = items(&story["backends"]);
    if !backends.is_empty() {
        lines.push(String::new());
    }
    for told in backends {
        let [backend, role, share, why] =
            ["backend", "role", "share", "why"].map(|member| text(&told[member]));
        lines.push(format!("{backend} {role}: {share}: {why}"));
    }
    if story["cache"].is_object() {
        lines.push(String::new());
        lines.extend(about_cache(&story["cache"]));
    }
    let response = &story["response"];
    if response.is_object() {
        lines.push(format!("  {} {}", response["status"], text(&response["code"])));
        lines.extend(
            response["allow"]
                .as_str()
                .map(|allow| format!("  Allow: {allow}")),
        );
        lines.extend(text(&response["body"]).lines().map(|line| format!("  {line}")));
    }
}

fn about_cache(cache: &Value) -> Vec<String> {
    if let Some(key) = cache["key"].as_str() {
        return vec![
            "kept by the cache".to_owned(),
            format!("  key       {key}"),
            format!(
                "  lifetime  {} s: {}",
                cache["lifetime"],
                text(&cache["ended_by"])
            ),
        ];
    }
    match cache["bypass"].as_str() {
        Some(bypass) => vec![format!("not kept by the cache: {bypass}")],
        None => vec![format!(
            "removes from the cache: {}",
            joined(&cache["removes"], ", ")
        )],
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn items(list: &Value) -> &[Value] {
    list.as_array().map_or(&[], Vec::as_slice)
}

fn joined(list: &Value, between: &str) -> String {
    items(list).iter().map(text).collect::<Vec<_>>().join(between)
}
