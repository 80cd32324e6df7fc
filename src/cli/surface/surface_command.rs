//! Asks the running edge for the surface of its site, or the site alone.

use std::io::{self, Write};

use anyhow::Context as _;
use calendar_edge::backend::{IndexReadError, read_site_routes};
use calendar_edge_core::settings::{BackendSettings, OriginNamespace, Settings};
use calendar_edge_core::surface::{SurfaceReport, SurfaceScope};
use clap::Args;

use super::super::admin_client::AdminClient;
use super::super::args::{EdgeArgs, OutputArgs, SiteArgs};
use super::super::environment::Environment;
use super::super::init::AskedSiteArgs;
use super::super::runtime;
use super::super::status::{Misuse, Status, tell};
use super::surface_text::SurfaceText;
use crate::survey::{Obstacle, Report, SiteQuestion, find_root};

/// The flags of `surface`.
#[derive(Debug, Args)]
pub(crate) struct SurfaceArgs {
    #[command(flatten)]
    asked: AskedSiteArgs,
    #[command(flatten)]
    site: SiteArgs,
    #[command(flatten)]
    edge: EdgeArgs,
    /// Show every route, also those that were not called
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// A site alone, and an edge.
const CONFLICT: Misuse = Misuse("--site asks the site alone: use it without --admin");

/// Prints the report. Statuses: 0 it is printed, 2 neither an edge nor the site can be used.
pub(crate) fn run(
    args: &SurfaceArgs,
    environment: Environment<'_>,
    out: &mut dyn Write,
) -> anyhow::Result<Status> {
    let report = match report(args, environment) {
        Ok(report) => report,
        Err(error) if error.is::<Unusable>() => {
            tell(&format!("{error:#}"));
            return Ok(Status::Unusable);
        }
        Err(error) => return Err(error),
    };
    if args.output.json {
        let json = serde_json::to_string_pretty(&report).context("the report is no JSON")?;
        writeln!(out, "{json}")
    } else {
        let is_whole = args.all;
        write!(
            out,
            "{}",
            SurfaceText {
                report: &report,
                is_whole
            }
        )
    }
    .context("standard output")?;
    Ok(Status::Success)
}

/// Neither an edge nor the site can be asked.
#[derive(Debug, thiserror::Error)]
enum Unusable {
    #[error(transparent)]
    Site(#[from] Obstacle),
    #[error("the routes of {root} cannot be read")]
    Routes {
        root: String,
        #[source]
        cause: IndexReadError,
    },
    #[error("the edge at {admin} cannot be used: {cause:#}")]
    Edge { admin: String, cause: anyhow::Error },
}

fn report(args: &SurfaceArgs, environment: Environment<'_>) -> anyhow::Result<SurfaceReport> {
    if let Some(question) = args.asked.question(&args.site, environment)? {
        if args.edge.admin.is_some() {
            return Err(CONFLICT.into());
        }
        return of_asked(&question);
    }
    if args.edge.admin.is_some() && !args.site.names_a_site(environment) {
        return Ok(of_edge(&args.edge, None)?);
    }
    let settings = args.site.source(environment).load()?;
    let edge = args.edge.or_of(&settings);
    if edge.admin.is_none() {
        tell("no calls are shown: the configuration has no admin.listen; --admin URL names a running edge");
        return of_site(&settings.site(), &SurfaceScope::of(&settings));
    }
    match of_edge(&edge, Some(&settings)) {
        Ok(report) => Ok(report),
        Err(error) if args.edge.admin.is_some() => Err(error.into()),
        Err(error) => {
            tell(&format!("no calls are shown: {error}"));
            of_site(&settings.site(), &SurfaceScope::of(&settings))
        }
    }
}

/// What a running edge knows and counts. It must serve the site of these settings.
fn of_edge(flags: &EdgeArgs, settings: Option<&Settings>) -> Result<SurfaceReport, Unusable> {
    let page = AdminClient::new(flags).and_then(|edge| edge.get("/surface"));
    let report = page.and_then(|page| {
        let report: SurfaceReport = serde_json::from_value(page).context("it is of another version")?;
        let is_other = settings.is_some_and(|settings| settings.origin.url.as_str() != report.site);
        anyhow::ensure!(!is_other, "it serves {}", report.site);
        Ok(report)
    });
    report.map_err(|cause| Unusable::Edge {
        admin: flags.admin.clone().unwrap_or_default(),
        cause,
    })
}

/// What a site lists of which only the front page is known.
fn of_asked(question: &SiteQuestion) -> anyhow::Result<SurfaceReport> {
    let mut quiet = io::sink();
    let found = runtime::single()?.block_on(find_root(question, &mut Report::new(&mut quiet)));
    let site = found.map_err(Unusable::Site)?;
    let mut settings = Settings::for_origin(site.origin.url.clone());
    if let Some(namespace) = &question.namespace {
        settings.origin.namespace = OriginNamespace::set(namespace);
    }
    of_site(&site, &SurfaceScope::of(&settings))
}

/// What the site lists.
fn of_site(site: &BackendSettings, scope: &SurfaceScope) -> anyhow::Result<SurfaceReport> {
    let root = &site.origin.url;
    let read = runtime::single()?.block_on(read_site_routes(site, root));
    let routes = read.map_err(|cause| Unusable::Routes {
        root: root.to_string(),
        cause,
    })?;
    Ok(SurfaceReport::of_site(root.as_str(), Some(&routes), scope))
}
