//! What an explanation knows of the site: its namespace and its index, and where they were read.

use calendar_edge::backend::{informed, published_indexes, stored_indexes};
use calendar_edge_core::settings::Settings;
use calendar_edge_judge::contract::TablesInForce;
use calendar_edge_judge::policy::Mode;
use serde::Serialize;
use serde_json::Value;

use super::super::admin_client::AdminClient;
use super::super::args::{EdgeArgs, ExplainArgs};
use super::super::environment::Environment;
use super::super::runtime;

/// The settings and the tables that an edge before this site decides by.
#[derive(Debug)]
pub(super) struct KnownSite {
    pub(super) settings: Settings,
    pub(super) tables: TablesInForce,
    pub(super) index: IndexStory,
}

/// Where the index of the site was read.
#[derive(Debug, Clone, Serialize)]
pub(super) struct IndexStory {
    /// `edge`: a running edge told what it knows; `file`: its file; `site`: the site was asked; `none`.
    pub(super) from: &'static str,
    /// The URL of the edge or of the site, or the path of the file.
    pub(super) place: Option<String>,
    /// The mode of the running edge, where it is not that of the file.
    pub(super) mode: Option<&'static str>,
    /// Why the places before this one did not help.
    pub(super) instead_of: Vec<String>,
}

// === impl KnownSite ===

impl KnownSite {
    /// Asks the running edge, or else its file, or else the site; an edge that starts now would ask the site as well.
    pub(super) fn find(args: &ExplainArgs, environment: Environment<'_>) -> anyhow::Result<Self> {
        let settings = args.load(environment)?;
        let mut search = Search {
            settings: &settings,
            instead_of: Vec::new(),
        };
        let found = if args.site.names_a_site(environment) {
            search
                .edge(&args.edge)
                .or_else(|| search.file())
                .or_else(|| search.site())
        } else {
            search.instead_of.push("no site is named".to_owned());
            None
        };
        let instead_of = search.instead_of;
        let Some((from, place, indexes)) = found else {
            return Ok(Self::unknown(settings, instead_of));
        };
        let (mut settings, tables) = informed(settings, &indexes);
        let index = IndexStory {
            from,
            place: Some(place),
            mode: adopt_mode(&mut settings, &indexes),
            instead_of,
        };
        Ok(Self {
            settings,
            tables,
            index,
        })
    }

    /// A site of which nothing could be read, for these reasons: the edge's own table counts.
    pub(super) fn unknown(settings: Settings, instead_of: Vec<String>) -> Self {
        Self {
            settings,
            tables: TablesInForce::default(),
            index: IndexStory {
                from: "none",
                place: None,
                mode: None,
                instead_of,
            },
        }
    }
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

/// The search for a document of indexes.
struct Search<'a> {
    settings: &'a Settings,
    instead_of: Vec<String>,
}

/// The kind of a place, the place, and the document there.
type IndexesAt = (&'static str, String, Value);

// === impl Search ===

impl Search<'_> {
    fn edge(&mut self, flags: &EdgeArgs) -> Option<IndexesAt> {
        let flags = flags.or_of(self.settings);
        let admin = flags.admin.clone()?;
        match AdminClient::new(&flags).and_then(|edge| edge.get("/indexes")) {
            Ok(indexes) if self.is_about(&indexes) => Some(("edge", admin, indexes)),
            Ok(_) => self.without(format!("the edge at {admin} serves another site")),
            Err(error) => self.without(error.to_string()),
        }
    }

    fn file(&mut self) -> Option<IndexesAt> {
        let site = self.settings.site();
        let file = site.origin.index_file.as_ref()?.display().to_string();
        match stored_indexes(&site) {
            Some(indexes) if self.is_about(&indexes) => Some(("file", file, indexes)),
            _ => self.without(format!("{file} does not have the index of this site")),
        }
    }

    fn site(&mut self) -> Option<IndexesAt> {
        let origin = &self.settings.origin;
        if !origin.read_index {
            return self.without("`origin.read_index` is false".to_owned());
        }
        let read = async {
            published_indexes(self.settings)
                .await
                .map_err(anyhow::Error::from)
        };
        match runtime::single().and_then(|runtime| runtime.block_on(read)) {
            Ok(indexes) => Some(("site", origin.url.to_string(), indexes)),
            Err(error) => self.without(format!("the index of {} cannot be read: {error}", origin.url)),
        }
    }

    fn without(&mut self, reason: String) -> Option<IndexesAt> {
        self.instead_of.push(reason);
        None
    }

    /// Returns true if a document has the first root of the settings, under their namespace if they set one.
    fn is_about(&self, indexes: &Value) -> bool {
        let origin = &self.settings.origin;
        let sites = indexes["sites"].as_array();
        sites.into_iter().flatten().any(|site| {
            let is_named = !origin.namespace.is_set() || site["namespace"] == origin.namespace.as_str();
            site["root"] == origin.url.as_str() && is_named
        })
    }
}
