//! The story as text.

use serde_json::Value;

/// The lines of the story.
pub(super) fn lines(story: &Value) -> Vec<String> {
    let mut lines = vec![format!("{} {}", text(&story["method"]), text(&story["target"]))];
    about(story, &mut lines);
    values(story, &mut lines);
    outcome(story, &mut lines);
    lines
}

fn about(story: &Value, lines: &mut Vec<String>) {
    let index = filled(
        "as the running edge at {place} has it, in mode {mode}",
        &story["index"],
    );
    let rule = surface(&story["surface"]);
    let page = page(&story["page"]);
    let answers = answers(&story["answers"]);
    let facts = [
        ("root", story["root"].as_str()),
        ("namespace", story["namespace"].as_str()),
        ("index", index.as_deref()),
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

/// The version whose contract the client gets, and the rows between it and the site.
fn answers(answers: &Value) -> Option<String> {
    let row = |row: &Value| {
        let fate = word(&row["is_translated"], "translated", "not translated");
        Some(format!("{}, {fate})", filled("{name} ({since}", row)?))
    };
    let rows: Vec<String> = items(&answers["rows"]).iter().filter_map(row).collect();
    let between = if rows.is_empty() {
        "no row".to_owned()
    } else {
        rows.join(", ")
    };
    let version = filled("as {version}; between it and the site ({site}): ", answers)?;
    Some(version + &between)
}

/// The rule of `[[surface]]` that takes a request to the rest of the site.
fn surface(surface: &Value) -> Option<String> {
    let rule = "{rule} of [[surface]], mode {mode}: {callers} may call, and this caller ";
    let passes = word(&surface["passes"], "passes", "does not pass");
    let rate = word(&surface["has_rate"], ", up to its rate", "");
    Some(filled(rule, surface)? + passes + rate)
}

/// The response to a calendar page, and the reason.
fn page(page: &Value) -> Option<String> {
    let because = filled(" ({because})", page)?;
    let kind = filled("{kind}: ", page).unwrap_or_default();
    let becomes = page["becomes"].as_str().unwrap_or("unknown");
    Some((kind + becomes + &because).replace('_', " "))
}

fn values(story: &Value, lines: &mut Vec<String>) {
    let names = items(&story["arguments"])
        .iter()
        .map(|argument| text(&argument["name"]));
    let width = names.map(str::len).max().unwrap_or(0);
    section("arguments", &story["arguments"], lines, |argument| {
        let [name, source] = ["name", "source"].map(|member| text(&argument[member]));
        let verdict = filled("{value} is {rule}: {verdict}", argument)?;
        let schema = filled(", then of type {type}", argument).unwrap_or_default();
        let sent_as = match joined(&argument["sent_as"], ", ") {
            names if names.is_empty() => names,
            names => format!(", sent as {names}"),
        };
        Some(format!(
            "  {name:<width$}  {source:<5}  {verdict}{schema}{sent_as}"
        ))
    });
    section("beyond the table", &story["undeclared"], lines, |parameter| {
        filled("  {name} ({source}) {fate}", parameter)
    });
}

/// A line for each item of a list that has some, below a title.
fn section(title: &str, list: &Value, lines: &mut Vec<String>, line: impl Fn(&Value) -> Option<String>) {
    if !items(list).is_empty() {
        lines.extend([String::new(), title.to_owned()]);
    }
    lines.extend(items(list).iter().filter_map(line));
}

fn outcome(story: &Value, lines: &mut Vec<String>) {
    let outcome = match text(&story["outcome"]) {
        "site" => "forwarded as it is: not a calendar call, and `other` is \"forward\"",
        "preflight" => "the edge responds: a browser's preflight",
        "rest index" => "the edge responds: an index with the routes of the calendar",
        "OpenAPI document" => "the edge responds: the OpenAPI document",
        outcome => outcome,
    };
    lines.extend([String::new(), outcome.to_owned()]);
    for finding in items(&story["findings"]) {
        let of_parameter = filled("  {code}: {parameter} is not {rule}", finding);
        lines.extend(of_parameter.or_else(|| filled("  {code}", finding)));
        lines.extend(filled("    {meaning}", finding));
    }
    let request = &story["request"];
    lines.extend(filled("  {method} {url}", request));
    for header in items(&request["headers"]) {
        lines.push(format!("  {}: {}", text(&header[0]), text(&header[1])));
    }
    lines.extend(filled("  {body}", request));
    let backends = items(&story["backends"]).iter();
    let backends = backends.filter_map(|backend| filled("{backend} {role}: {share}: {why}", backend));
    let backends: Vec<String> = backends.collect();
    let cache = about_cache(&story["cache"]);
    for lines_of in [backends, cache]
        .iter_mut()
        .filter(|lines_of| !lines_of.is_empty())
    {
        lines.push(String::new());
        lines.append(lines_of);
    }
    let response = &story["response"];
    lines.extend(filled("  {status} {code}", response));
    lines.extend(filled("  Allow: {allow}", response));
    lines.extend(text(&response["body"]).lines().map(|line| format!("  {line}")));
}

fn about_cache(cache: &Value) -> Vec<String> {
    let mut lines: Vec<String> = filled("not kept by the cache: {bypass}", cache)
        .into_iter()
        .collect();
    if let Some(key) = filled("  key       {key}", cache) {
        lines.extend(["kept by the cache".to_owned(), key]);
        lines.extend(filled("  lifetime  {lifetime} s: {ended_by}", cache));
    }
    if cache.is_object() && lines.is_empty() {
        lines.push(format!(
            "removes from the cache: {}",
            joined(&cache["removes"], ", ")
        ));
    }
    lines
}

/// A template with the members of an object in the place of their names in braces; none if one of them is absent.
pub(super) fn filled(template: &str, object: &Value) -> Option<String> {
    let mut parts = template.split('{');
    let mut filled = parts.next()?.to_owned();
    for part in parts {
        let (name, after) = part.split_once('}')?;
        match &object[name] {
            Value::Null => return None,
            Value::String(text) => filled.push_str(text),
            other => filled.push_str(&other.to_string()),
        }
        filled.push_str(after);
    }
    Some(filled)
}

/// The text; empty for anything else.
pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The items; none for anything but a list.
pub(super) fn items(list: &Value) -> &[Value] {
    list.as_array().map_or(&[], Vec::as_slice)
}

fn word(flag: &Value, yes: &'static str, no: &'static str) -> &'static str {
    if *flag == true { yes } else { no }
}

fn joined(list: &Value, between: &str) -> String {
    items(list).iter().map(text).collect::<Vec<_>>().join(between)
}
