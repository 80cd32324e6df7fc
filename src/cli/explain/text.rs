//! The story as text.

use std::io::{self, Write};

use super::answering_backends::BackendStory;
use super::cacheability::CacheStory;
use super::known_site::IndexStory;
use super::story::Story;
use super::surface_story::SurfaceStory;
use calendar_edge::telemetry::printable;

/// Writes the story; hidden characters of the request cannot reach the terminal.
pub(super) fn write(story: &Story, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = vec![format!("{} {}", story.method, story.target)];
    about(story, &mut lines);
    values(story, &mut lines);
    outcome(story, &mut lines);
    for line in lines {
        writeln!(out, "{}", printable(&line))?;
    }
    Ok(())
}

fn about(story: &Story, lines: &mut Vec<String>) {
    let index = judged_by(&story.index);
    let rule = story.surface.as_ref().map(SurfaceStory::text);
    let facts = [
        ("root", story.root.as_deref()),
        ("namespace", Some(story.namespace.as_str())),
        ("index", Some(index.as_str())),
        ("route", story.route.as_deref()),
        ("operation", story.operation),
        ("mode", story.mode),
        ("rule", rule.as_deref()),
        ("caller", story.caller),
        ("assumed", story.assumed_content_type),
    ];
    for (name, fact) in facts {
        lines.extend(fact.map(|fact| format!("  {name:<10} {fact}")));
    }
}

/// Where the index is from, and why it is from no better place.
fn judged_by(index: &IndexStory) -> String {
    let place = index.place.as_deref().unwrap_or_default();
    let source = match index.from {
        "edge" => format!("as the running edge at {place} knows it"),
        "file" => format!("of the file {place}"),
        "site" => format!("read from {place}"),
        _ => "unknown: judged by the edge's own table".to_owned(),
    };
    let source = match index.mode {
        Some(mode) => format!("{source}, whose mode is `{mode}` other than in the file"),
        None => source,
    };
    match index.instead_of.as_slice() {
        [] => source,
        reasons => format!("{source} ({})", reasons.join("; ")),
    }
}

fn values(story: &Story, lines: &mut Vec<String>) {
    if !story.arguments.is_empty() {
        lines.push(String::new());
        lines.push("arguments".to_owned());
    }
    let width = story
        .arguments
        .iter()
        .map(|argument| argument.name.len())
        .max()
        .unwrap_or(0);
    for argument in &story.arguments {
        let sent_as = match argument.sent_as.as_slice() {
            [] => String::new(),
            names => format!(", sent as {}", names.join(", ")),
        };
        let schema = argument
            .schema
            .map(|schema| format!(", then of type {schema}"))
            .unwrap_or_default();
        lines.push(format!(
            "  {:<width$}  {:<5}  {} is {}: {}{schema}{sent_as}",
            argument.name, argument.source, argument.value, argument.rule, argument.verdict
        ));
    }
    if !story.undeclared.is_empty() {
        lines.push(String::new());
        lines.push("beyond the table".to_owned());
    }
    for parameter in &story.undeclared {
        lines.push(format!(
            "  {} ({}) {}",
            parameter.name, parameter.source, parameter.fate
        ));
    }
}

fn outcome(story: &Story, lines: &mut Vec<String>) {
    lines.push(String::new());
    lines.push(match story.outcome {
        "site" => "forwarded as it is: not a calendar call, and `other` is \"forward\"".to_owned(),
        "preflight" => "answered by the edge: a browser's preflight".to_owned(),
        "rest index" => "answered by the edge: an index with the routes of the calendar".to_owned(),
        outcome => outcome.to_owned(),
    });
    for finding in &story.findings {
        lines.push(match &finding.parameter {
            Some(parameter) => format!("  {}: {parameter} is not {}", finding.code, finding.rule),
            None => format!("  {}", finding.code),
        });
        lines.extend(finding.meaning.map(|meaning| format!("    {meaning}")));
    }
    if let Some(request) = &story.request {
        lines.push(format!("  {} {}", request.method, request.url));
        lines.extend(
            request
                .headers
                .iter()
                .map(|(name, value)| format!("  {name}: {value}")),
        );
        lines.extend(request.body.iter().map(|body| format!("  {body}")));
    }
    if !story.backends.is_empty() {
        lines.push(String::new());
        let told = |story: &BackendStory| {
            let BackendStory {
                backend,
                role,
                share,
                why,
            } = story;
            format!("{backend} {role}: {share}: {why}")
        };
        lines.extend(story.backends.iter().map(told));
    }
    if let Some(cache) = &story.cache {
        lines.push(String::new());
        lines.extend(about_cache(cache));
    }
    if let Some(response) = &story.response {
        lines.push(format!("  {} {}", response.status, response.code));
        lines.extend(response.allow.as_ref().map(|allow| format!("  Allow: {allow}")));
        lines.extend(response.body.lines().map(|line| format!("  {line}")));
    }
}

fn about_cache(cache: &CacheStory) -> Vec<String> {
    if let (Some(key), Some(lifetime)) = (&cache.key, cache.lifetime) {
        let ended_by = cache.ended_by.unwrap_or_default();
        return vec![
            "kept by the cache".to_owned(),
            format!("  key       {key}"),
            format!("  lifetime  {lifetime} s: {ended_by}"),
        ];
    }
    match cache.bypass {
        Some(bypass) => vec![format!("not kept by the cache: {bypass}")],
        None => vec![format!("removes from the cache: {}", cache.removes.join(", "))],
    }
}
