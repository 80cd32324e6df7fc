//! The explanation of the running edge, or else one by the settings of `serve`.

use calendar_edge::backend::{preview, published, recalled};
use calendar_edge::telemetry::unix_time;
use calendar_edge_core::explain::{Basis, TypedRequest, explain};
use calendar_edge_core::settings::{Root, Settings};
use calendar_edge_judge::contract::{TableInForce, TablesInForce};
use serde_json::{Value, json};

use super::super::admin_client::AdminClient;
use super::super::args::EdgeArgs;
use super::super::environment::{Environment, MODE};
use super::super::runtime;
use super::explain_args::ExplainArgs;

/// Explains a request. The settings count where no edge of theirs answers, and where flags differ from their file.
pub(super) fn explanation(
    args: &ExplainArgs,
    environment: Environment<'_>,
    request: &TypedRequest,
) -> anyhow::Result<Value> {
    let mode = environment.text(MODE.variable);
    if args.edge.admin.is_some() {
        return of_edge(&args.edge, request, mode);
    }
    let settings = args.load(environment)?;
    let edge = args.edge.or_of(&settings);
    let mut reasons = Vec::new();
    if args.site.has_flags() {
        reasons.push("flags set what the running edge may have set otherwise".to_owned());
    } else if edge.admin.is_some() {
        match of_edge(&edge, request, mode) {
            Ok(story) => return Ok(story),
            Err(error) => reasons.push(error.to_string()),
        }
    }
    let is_named = args.site.names_a_site(environment);
    Ok(of_settings(settings, is_named, request, reasons))
}

/// The explanation of a running edge, in a mode to be tried if there is one.
fn of_edge(edge: &EdgeArgs, request: &TypedRequest, mode: Option<String>) -> anyhow::Result<Value> {
    let mut document = request.to_json();
    document["mode"] = mode.into();
    let mut story = AdminClient::new(edge)?.post("/explain", document.to_string())?;
    story["index"]["place"] = edge.admin.as_deref().into();
    Ok(story)
}

/// The decision that an edge with these settings would make at its start; `reasons` why no running edge explains it.
fn of_settings(
    settings: Settings,
    is_named: bool,
    request: &TypedRequest,
    mut reasons: Vec<String>,
) -> Value {
    let mut tried = |found: Result<IndexAt, String>| found.map_err(|reason| reasons.push(reason)).ok();
    let found = if is_named {
        let of_file = of_file(&settings).and_then(&mut tried);
        of_file.or_else(|| tried(of_site(&settings)))
    } else {
        tried(Err("no site is named".to_owned()))
    };
    let (from, place, (settings, tables)) = match found {
        Some((from, place, informed)) => (from, Some(place), informed),
        None => ("none", None, unread(settings)),
    };
    let basis = Basis {
        settings: &settings,
        tables: &tables,
        index: json!({"from": from, "place": place, "mode": null, "instead_of": reasons}),
        now: unix_time(),
        write: preview,
        returned: None,
        zone: None,
        companion: None,
        page: &|_| json!({"because": "only the running edge has the events"}),
    };
    explain(request, &basis)
}

/// The kind of a place, the place, and what the index there makes of the settings.
type IndexAt = (&'static str, String, (Settings, TablesInForce));

/// The index in the edge's file, if it has one.
fn of_file(settings: &Settings) -> Option<Result<IndexAt, String>> {
    let file = settings.site().origin.index_file?.display().to_string();
    let missing = format!("{file} does not have the index of this site");
    Some(
        recalled(settings)
            .map(|informed| ("file", file, informed))
            .ok_or(missing),
    )
}

/// The index that the site publishes.
fn of_site(settings: &Settings) -> Result<IndexAt, String> {
    let origin = &settings.origin;
    if !origin.read_index {
        return Err("`origin.read_index` is false".to_owned());
    }
    let read = async { Ok(published(settings).await?) };
    match runtime::single().and_then(|runtime| runtime.block_on(read)) {
        Ok(informed) => Ok(("site", origin.url.to_string(), informed)),
        Err(error) => Err(format!("the index of {} cannot be read: {error}", origin.url)),
    }
}

/// The settings, with the edge's own table for a site of which nothing could be read.
fn unread(settings: Settings) -> (Settings, TablesInForce) {
    let table = |root: &Root| TableInForce::for_clients(TableInForce::unread(), root.wanted);
    let tables = settings.site().roots.iter().map(table).collect();
    (settings, TablesInForce::new(tables))
}
