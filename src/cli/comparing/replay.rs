//! `calendar-edge replay`: recorded calls, sent to two backends or compared with what was recorded.

use std::fs::File;
use std::io::{BufReader, Write};
use std::num::NonZeroUsize;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use calendar_edge::app::DryRunCall;
use calendar_edge::backend::with_listed_namespace;
use calendar_edge_core::migration::comparison::{ComparisonReport, ReadyDemand};
use calendar_edge_core::settings::{CompareSettings, Settings};
use serde_json::json;
use tokio::task::JoinSet;

use super::super::environment::Environment;
use super::super::progress::TerminalProgress;
use super::super::status::{Misuse, Status, could_not_run};
use super::accounts::Accounts;
use super::call_judge::{CallJudge, Judged};
use super::compare_args::ReplayArgs;
use super::printed::{self, SideNames};
use super::recorded_call::{RecordedCall, Records};
use super::sides::{ComparedCall, RecordedAnswer, Sides};
use super::times_of_now::TimesOfNow;

/// Calls at once, unless typed.
const CONCURRENCY: usize = 4;

/// One record that is compared.
struct Job {
    call: Box<DryRunCall>,
    recorded: Option<RecordedAnswer>,
}

/// A replay on its way.
struct Replay<'s> {
    judge: CallJudge<'s>,
    sides: Arc<Sides>,
    accounts: Accounts,
    options: Options,
    progress: TerminalProgress,
    replayed: Replayed,
    running: JoinSet<anyhow::Result<ComparedCall>>,
}

/// What a replay found, and whether somebody ended it before the end of the file.
#[derive(Default)]
struct Replayed {
    report: ComparisonReport,
    is_interrupted: bool,
    compare: CompareSettings,
}

/// What a replay may do.
#[derive(Debug, Clone, Copy)]
struct Options {
    takes_writes: bool,
    is_recorded: bool,
    skips_broken: bool,
    concurrency: usize,
}

/// Replays a file. Statuses: 0 nothing worse than `--accept`, 1 something worse, 2 it could not run to its end.
pub(crate) fn run(
    args: &ReplayArgs,
    environment: Environment<'_>,
    out: &mut dyn Write,
) -> anyhow::Result<Status> {
    let accepted = args.judged.accept.class()?;
    let accounts = Accounts::of(args)?;
    let options = Options::of(args)?;
    let Some((replayed, sides)) = could_not_run(replayed(args, environment, accounts, options))? else {
        return Ok(Status::Unusable);
    };
    let Replayed {
        report,
        is_interrupted,
        compare,
    } = replayed;
    let demanded = ReadyDemand::new(&compare, accepted, jiff::Timestamp::now());
    let mut whole = report.to_json(&demanded);
    if args.judged.output.json {
        if let Some(members) = whole.as_object_mut() {
            members.insert("interrupted".to_owned(), json!(is_interrupted));
        }
        writeln!(out, "{whole:#}")?;
    } else {
        let names = SideNames {
            primary: sides.owner_name(),
            other: sides.other_name(),
        };
        printed::report(&whole, names, out)?;
        printed::skipped(&report, out)?;
        writeln!(
            out,
            "{} calls compared{}, the worst class is {}",
            report.calls(),
            if is_interrupted {
                " before it was interrupted"
            } else {
                ""
            },
            report.worst()
        )?;
    }
    Ok(if report.worst() > accepted {
        Status::Failure
    } else if is_interrupted {
        Status::Unusable
    } else {
        Status::Success
    })
}

fn replayed(
    args: &ReplayArgs,
    environment: Environment<'_>,
    accounts: Accounts,
    options: Options,
) -> anyhow::Result<(Replayed, Arc<Sides>)> {
    let runtime = tokio::runtime::Runtime::new().context("the runtime does not start")?;
    let settings = args.judged.site.load(environment)?;
    let settings = runtime.block_on(with_listed_namespace(settings));
    let sides = match (&args.to, options.is_recorded) {
        (Some(name), true) => Sides::recorded(&settings, name)?,
        (None, true) => bail!("--recorded needs --to with the backend to compare"),
        (name, false) => Sides::live(&settings, name.as_deref())?,
    };
    let file = File::open(&args.file).with_context(|| format!("{} cannot be read", args.file.display()))?;
    let replay = Replay::new(&settings, sides, accounts, options);
    let (replayed, sides) = runtime.block_on(replay.all(Records::new(BufReader::new(file))))?;
    if replayed.report.calls() == 0 {
        let reasons: Vec<_> = replayed
            .report
            .skipped()
            .map(|(reason, count)| format!("{count} {reason}"))
            .collect();
        bail!("no record was compared; skipped: {}", reasons.join(", "));
    }
    Ok((replayed, sides))
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
            skips_broken: args.skip_broken,
            concurrency,
        })
    }
}

// === impl Replay ===

impl<'s> Replay<'s> {
    fn new(settings: &'s Settings, sides: Sides, accounts: Accounts, options: Options) -> Self {
        Self {
            judge: CallJudge::new(settings),
            sides: Arc::new(sides),
            accounts,
            options,
            progress: TerminalProgress::new(),
            replayed: Replayed {
                compare: settings.compare.clone(),
                ..Replayed::default()
            },
            running: JoinSet::new(),
        }
    }

    /// Replays all records, or those until an interrupt.
    async fn all(mut self, mut records: Records<BufReader<File>>) -> anyhow::Result<(Replayed, Arc<Sides>)> {
        let is_interrupted = tokio::select! {
            biased;
            _ = tokio::signal::ctrl_c() => true,
            ended = self.until_end(&mut records) => {
                ended?;
                false
            }
        };
        self.replayed.is_interrupted = is_interrupted;
        while let Some(done) = self.running.try_join_next() {
            self.add(done.context("a comparison ended early")??);
        }
        self.progress.end();
        Ok((self.replayed, self.sides))
    }

    async fn until_end(&mut self, records: &mut Records<BufReader<File>>) -> anyhow::Result<()> {
        while let Some(line) = records.next()? {
            let job = match line {
                Ok(record) => self.job(&record),
                Err(_) if self.options.skips_broken => Err("broken lines"),
                Err(broken) => return Err(broken.into()),
            };
            match job {
                Ok(job) => self.start(job).await?,
                Err(reason) => self.replayed.report.skip(None, reason),
            }
            let report = &self.replayed.report;
            self.progress.show(|| {
                let calls = report.calls();
                let skipped: u64 = report.skipped().map(|(_, count)| count).sum();
                format!(
                    "{calls} calls compared, {skipped} skipped, the worst class is {}",
                    report.worst()
                )
            });
        }
        self.finish(0).await
    }

    /// The call of a record, or the reason to skip it.
    fn job(&self, record: &RecordedCall) -> Result<Job, &'static str> {
        let mut request = record.request().ok_or("no request that a client can send")?;
        if let Some(account) = record.account() {
            let headers = self.accounts.headers(account);
            let headers = headers.ok_or("sent with credentials, which -H or --account can give")?;
            request.headers.extend(headers.clone());
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
        let now = TimesOfNow::of(request.target.as_str());
        Ok(Job {
            call,
            recorded: recorded.map(|response| RecordedAnswer { response, now }),
        })
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
            self.add(done.context("a comparison ended early")??);
        }
        Ok(())
    }

    fn add(&mut self, compared: ComparedCall) {
        let report = &mut self.replayed.report;
        report.note_ended(compared.ended);
        report.add(&compared.reported, &compared.findings, jiff::Timestamp::now());
    }
}
