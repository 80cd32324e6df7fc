//! `calendar-edge replay`: recorded calls, sent to two backends or compared with what was recorded.

use std::fs::File;
use std::io::{BufReader, Write};
use std::num::NonZeroUsize;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use calendar_edge::app::DryRunCall;
use calendar_edge::backend::with_listed_namespace;
use calendar_edge_core::migration::comparison::ComparisonReport;
use calendar_edge_core::settings::Settings;
use http::HeaderMap;
use serde_json::json;
use tokio::task::JoinSet;

use super::super::environment::Environment;
use super::super::explain::headers;
use super::super::status::{Misuse, Status, could_not_run};
use super::call_judge::{CallJudge, Judged};
use super::compare_args::ReplayArgs;
use super::printed::{self, SideNames};
use super::recorded_call::{RecordedCall, Records};
use super::sides::{ComparedCall, Sides};
use super::skipped::Skipped;

/// Calls at once, unless typed.
const CONCURRENCY: usize = 4;

/// One record that is compared.
struct Job {
    call: Box<DryRunCall>,
    recorded: Option<http::Response<bytes::Bytes>>,
}

/// A replay on its way.
struct Replay<'s> {
    judge: CallJudge<'s>,
    sides: Arc<Sides>,
    credentials: HeaderMap,
    options: Options,
    report: ComparisonReport,
    skipped: Skipped,
    running: JoinSet<anyhow::Result<ComparedCall>>,
}

/// What a replay may do.
#[derive(Debug, Clone, Copy)]
struct Options {
    takes_writes: bool,
    is_recorded: bool,
    concurrency: usize,
}

/// Replays a file. Statuses: 0 nothing worse than `--accept`, 1 something worse, 2 it could not run.
pub(crate) fn run(
    args: &ReplayArgs,
    environment: Environment<'_>,
    out: &mut dyn Write,
) -> anyhow::Result<Status> {
    let accepted = args.judged.accept.class()?;
    let credentials = headers(&args.judged.header)?;
    let options = Options::of(args)?;
    let Some((report, skipped, sides)) = could_not_run(replayed(args, environment, credentials, options))?
    else {
        return Ok(Status::Unusable);
    };
    if args.judged.output.json {
        let mut whole = report.to_json(accepted);
        if let Some(members) = whole.as_object_mut() {
            members.insert("skipped".to_owned(), json!(skipped));
        }
        serde_json::to_writer_pretty(&mut *out, &whole).map_err(std::io::Error::from)?;
        writeln!(out)?;
    } else {
        let names = SideNames {
            primary: sides.owner_name(),
            other: sides.other_name(),
        };
        printed::report(&report.to_json(accepted), names, out)?;
        printed::skipped(&skipped, out)?;
        writeln!(
            out,
            "{} calls compared, the worst class is {}",
            report.calls(),
            report.worst()
        )?;
    }
    Ok(if report.worst() <= accepted {
        Status::Success
    } else {
        Status::Failure
    })
}

fn replayed(
    args: &ReplayArgs,
    environment: Environment<'_>,
    credentials: HeaderMap,
    options: Options,
) -> anyhow::Result<(ComparisonReport, Skipped, Arc<Sides>)> {
    let runtime = tokio::runtime::Runtime::new().context("the runtime does not start")?;
    let settings = args.judged.site.load(environment)?;
    let settings = runtime.block_on(with_listed_namespace(settings));
    let sides = match (&args.to, options.is_recorded) {
        (Some(name), true) => Sides::recorded(&settings, name)?,
        (None, true) => bail!("--recorded needs --to with the backend to compare"),
        (name, false) => Sides::live(&settings, name.as_deref())?,
    };
    let file = File::open(&args.file).with_context(|| format!("{} cannot be read", args.file.display()))?;
    let replay = Replay::new(&settings, sides, credentials, options);
    let (report, skipped, sides) = runtime.block_on(replay.all(Records::new(BufReader::new(file))))?;
    if report.calls() == 0 {
        let reasons: Vec<_> = skipped
            .iter()
            .map(|(reason, count)| format!("{count} {reason}"))
            .collect();
        bail!("no record was compared; skipped: {}", reasons.join(", "));
    }
    Ok((report, skipped, sides))
}

// === impl Options ===

impl Options {
    fn of(args: &ReplayArgs) -> anyhow::Result<Self> {
        let concurrency = match &args.concurrency {
            None => CONCURRENCY,
            Some(text) => text
                .parse::<NonZeroUsize>()
                .context(Misuse("--concurrency is a whole number from 1"))?
                .get(),
        };
        Ok(Self {
            takes_writes: args.judged.writes,
            is_recorded: args.recorded,
            concurrency,
        })
    }
}

// === impl Replay ===

impl<'s> Replay<'s> {
    fn new(settings: &'s Settings, sides: Sides, credentials: HeaderMap, options: Options) -> Self {
        Self {
            judge: CallJudge::new(settings),
            sides: Arc::new(sides),
            credentials,
            options,
            report: ComparisonReport::default(),
            skipped: Skipped::default(),
            running: JoinSet::new(),
        }
    }

    async fn all(
        mut self,
        mut records: Records<BufReader<File>>,
    ) -> anyhow::Result<(ComparisonReport, Skipped, Arc<Sides>)> {
        while let Some(record) = records.next()? {
            match self.job(&record) {
                Ok(job) => self.start(job).await?,
                Err(reason) => self.skipped.add(reason),
            }
        }
        self.finish(0).await?;
        Ok((self.report, self.skipped, self.sides))
    }

    /// The call of a record, or the reason to skip it.
    fn job(&self, record: &RecordedCall) -> Result<Job, &'static str> {
        let mut request = record.request().ok_or("no request that a client can send")?;
        if record.needs_credentials() {
            if self.credentials.is_empty() {
                return Err("sent with credentials, which -H can give");
            }
            request.headers.extend(self.credentials.clone());
        }
        let call = match self.judge.judge(&request) {
            Judged::Call(call) => call,
            Judged::Answered => return Err("answered by the edge itself"),
            Judged::Elsewhere => return Err("not for the calendar"),
        };
        if call.is_write() && !self.options.takes_writes {
            return Err("writes, which --writes sends");
        }
        if let Some(reason) = self.sides.withheld(&call) {
            return Err(reason);
        }
        let recorded = record.response().filter(|_| self.options.is_recorded);
        if self.options.is_recorded && recorded.is_none() {
            return Err("without a complete recorded answer");
        }
        Ok(Job { call, recorded })
    }

    /// Starts a job; a write runs alone, so that both backends see all writes in the order of the file.
    async fn start(&mut self, job: Job) -> anyhow::Result<()> {
        let is_write = job.call.is_write();
        let room = if is_write { 0 } else { self.options.concurrency - 1 };
        self.finish(room).await?;
        let sides = Arc::clone(&self.sides);
        self.running
            .spawn(async move { sides.compare(&job.call, job.recorded).await });
        if is_write {
            self.finish(0).await?;
        }
        Ok(())
    }

    /// Waits until at most so many jobs run.
    async fn finish(&mut self, most: usize) -> anyhow::Result<()> {
        while self.running.len() > most {
            let Some(done) = self.running.join_next().await else {
                break;
            };
            let compared = done.context("a comparison ended early")??;
            self.report.note_ended(compared.ended);
            self.report
                .add(compared.operation, &compared.findings, jiff::Timestamp::now());
        }
        Ok(())
    }
}
