//! What an explanation knows of the site: its namespace and its index, and where they were read.

use calendar_edge::backend::{informed, published_indexes, stored_indexes};
use calendar_edge_core::settings::{Root, Settings};
use calendar_edge_judge::contract::{TableInForce, TablesInForce};
use calendar_edge_judge::policy::Mode;
use serde_json::{Value, json};

use super::super::admin_client::AdminClient;
use super::super::args::EdgeArgs;
use super::super::environment::{Environment, MODE};
use super::super::runtime;
use super::explain_args::ExplainArgs;

/// The settings and the tables that an edge before this site decides by.
#[derive(Debug)]
pub(super) struct KnownSite {
    pub(super) settings: Settings,
    pub(super) tables: TablesInForce,
    /// Where the index of the site was read.
    pub(super) index: Value,
}

// === impl KnownSite ===

impl KnownSite {
    /// Asks the running edge, or else its file, or else the site; an edge that starts now would ask the site as well.
    pub(super) fn find(args: &ExplainArgs, environment: Environment<'_>) -> anyhow::Result<Self> {
        let settings = args.load(environment)?;
        let mut reasons = Vec::new();
        let mut tried = |found: Result<IndexesAt, String>| found.map_err(|reason| reasons.push(reason)).ok();
        let found = if args.site.names_a_site(environment) {
            of_edge(&args.edge, &settings)
                .and_then(&mut tried)
                .or_else(|| of_file(&settings).and_then(&mut tried))
                .or_else(|| tried(of_site(&settings)))
        } else {
            tried(Err("no site is named".to_owned()))
        };
        let Some((from, place, indexes)) = found else {
            return Ok(Self::unknown(settings, &reasons));
        };
        let (mut settings, tables) = informed(settings, &indexes);
        // A mode in the environment of this command is one to try.
        let is_tried = environment.get(MODE.variable).is_some();
        let mode = if is_tried {
            None
        } else {
            adopt_mode(&mut settings, &indexes)
        };
        Ok(Self {
            settings,
            tables,
            index: read_from(from, Some(&place), mode, &reasons),
        })
    }

    /// A site of which nothing could be read, for these reasons: the edge's own table counts.
    pub(super) fn unknown(settings: Settings, instead_of: &[String]) -> Self {
        let table = |root: &Root| TableInForce::for_clients(TableInForce::unread(), root.wanted());
        let tables = settings.site().roots.iter().map(table).collect();
        Self {
            settings,
            tables: TablesInForce::new(tables),
            index: read_from("none", None, None, instead_of),
        }
    }
}

/// Where an index was read: a running edge told what it knows (`edge`), its `file`, the `site` was asked, or `none`; with
/// the URL or the path, the mode of the running edge where it is not that of the file, and why the places before this one
/// did not help.
fn read_from(
    from: &'static str,
    place: Option<&str>,
    mode: Option<&'static str>,
    instead_of: &[String],
) -> Value {
    json!({"from": from, "place": place, "mode": mode, "instead_of": instead_of})
}

/// Takes the mode that a running edge tells, and returns it if the settings had another: a flag or the environment of
/// that edge set it.
fn adopt_mode(settings: &mut Settings, indexes: &Value) -> Option<&'static str> {
    let told = indexes["mode"].as_str()?;
    let modes = [Mode::Enforce, Mode::Report, Mode::Off];
    let mode = modes.into_iter().find(|mode| mode.name() == told)?;
    let is_another = settings.mode != mode;
    settings.mode = mode;
    is_another.then(|| mode.name())
}

/// The kind of a place, the place, and the document of indexes there.
type IndexesAt = (&'static str, String, Value);

/// What the running edge tells, if there is one, or why it does not help.
fn of_edge(flags: &EdgeArgs, settings: &Settings) -> Option<Result<IndexesAt, String>> {
    let flags = flags.or_of(settings);
    let admin = flags.admin.clone()?;
    Some(
        match AdminClient::new(&flags).and_then(|edge| edge.get("/indexes")) {
            Ok(indexes) if is_about(settings, &indexes) => Ok(("edge", admin, indexes)),
            Ok(_) => Err(format!("the edge at {admin} serves another site")),
            Err(error) => Err(error.to_string()),
        },
    )
}

/// What its file holds, if it has one.
fn of_file(settings: &Settings) -> Option<Result<IndexesAt, String>> {
    let site = settings.site();
    let file = site.origin.index_file.as_ref()?.display().to_string();
    let indexes = stored_indexes(&site).filter(|indexes| is_about(settings, indexes));
    let missing = format!("{file} does not have the index of this site");
    Some(indexes.map(|indexes| ("file", file, indexes)).ok_or(missing))
}

/// What the site publishes.
fn of_site(settings: &Settings) -> Result<IndexesAt, String> {
    let origin = &settings.origin;
    if !origin.read_index {
        return Err("`origin.read_index` is false".to_owned());
    }
    let read = async { Ok(published_indexes(settings).await?) };
    match runtime::single().and_then(|runtime| runtime.block_on(read)) {
        Ok(indexes) => Ok(("site", origin.url.to_string(), indexes)),
        Err(error) => Err(format!("the index of {} cannot be read: {error}", origin.url)),
    }
}

/// Returns true if a document has the first root of the settings, under their namespace if they set one.
fn is_about(settings: &Settings, indexes: &Value) -> bool {
    let origin = &settings.origin;
    let sites = indexes["sites"].as_array();
    sites.into_iter().flatten().any(|site| {
        let is_named = !origin.namespace.is_set() || site["namespace"] == origin.namespace.as_str();
        site["root"] == origin.url.as_str() && is_named
    })
}
