//! The arguments of `compare` and `replay`.

use std::path::PathBuf;

use anyhow::Context as _;
use calendar_edge_core::migration::comparison::DifferenceClass;
use clap::Args;

use super::super::args::{OutputArgs, SiteArgs};
use super::super::environment::Environment;
use super::super::status::Misuse;

/// The arguments of `compare`.
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// The path with its query: /wp-json/calendar/events/v1/events?page=2
    #[arg(value_name = "TARGET")]
    pub(super) target: String,
    #[arg(
        short = 'X',
        long,
        value_name = "METHOD",
        help = "The method, GET unless given [env: CALENDAR_EDGE_METHOD]"
    )]
    pub(super) method: Option<String>,
    #[arg(short, long, value_name = "BODY", help = "The body [env: CALENDAR_EDGE_DATA]")]
    pub(super) data: Option<String>,
    #[arg(
        long,
        value_name = "NAME",
        help = "The other backend; may be left out if there is only one [env: CALENDAR_EDGE_TO]"
    )]
    pub(super) to: Option<String>,
    #[command(flatten)]
    pub(super) judged: ComparingArgs,
}

/// The arguments of `replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// Recorded calls, one JSON object a line
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,
    #[arg(
        long,
        value_name = "NAME",
        help = "The other backend; with --recorded also `origin` [env: CALENDAR_EDGE_TO]"
    )]
    pub(super) to: Option<String>,
    #[arg(
        long,
        help = "Compare the backend with the recorded answers instead of the origin [env: CALENDAR_EDGE_RECORDED]"
    )]
    pub(super) recorded: bool,
    #[arg(
        long,
        value_name = "COUNT",
        help = "Calls at once, 4 unless given; writes always run alone [env: CALENDAR_EDGE_CONCURRENCY]"
    )]
    pub(super) concurrency: Option<String>,
    #[command(flatten)]
    pub(super) judged: ComparingArgs,
}

/// The flags of commands that compare backends.
#[derive(Debug, Default, Args)]
pub(super) struct ComparingArgs {
    #[command(flatten)]
    pub(super) site: SiteArgs,
    #[arg(
        short = 'H',
        long,
        value_name = "HEADER",
        help = "A header, 'Name: value'; may be repeated. `replay` adds it to the calls that were recorded with \
                credentials [env: CALENDAR_EDGE_HEADER]"
    )]
    header: Vec<String>,
    #[arg(long, help = "Send writes too, to both backends [env: CALENDAR_EDGE_WRITES]")]
    writes: bool,
    #[command(flatten)]
    pub(super) accept: AcceptArgs,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

/// The differences that are a success.
#[derive(Debug, Default, Args)]
pub(crate) struct AcceptArgs {
    #[arg(
        long,
        value_name = "CLASS",
        help = "The worst class that is a success: identical, order, representation (unless given), volatile or \
                different [env: CALENDAR_EDGE_ACCEPT]"
    )]
    accept: Option<String>,
}

// === impl ComparingArgs ===

impl ComparingArgs {
    /// The typed headers.
    pub(super) fn headers(&self, environment: Environment<'_>) -> Vec<String> {
        if self.header.is_empty() {
            return environment.text("CALENDAR_EDGE_HEADER").into_iter().collect();
        }
        self.header.clone()
    }

    /// Returns true if writes are sent too.
    pub(super) fn takes_writes(&self, environment: Environment<'_>) -> bool {
        self.writes || environment.is_on("CALENDAR_EDGE_WRITES")
    }
}

// === impl AcceptArgs ===

impl AcceptArgs {
    /// The worst class that is a success.
    pub(crate) fn class(&self, environment: Environment<'_>) -> anyhow::Result<DifferenceClass> {
        let typed = self
            .accept
            .clone()
            .or_else(|| environment.text("CALENDAR_EDGE_ACCEPT"));
        let misuse = Misuse("CLASS is identical, order, representation, volatile or different");
        typed.map_or(Ok(DifferenceClass::Representation), |class| {
            class.parse().context(misuse)
        })
    }
}
