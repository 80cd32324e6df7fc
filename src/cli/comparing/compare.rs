//! `calendar-edge migration compare`: one call, both responses.

use std::io::Write;

use calendar_edge::app::DryRunResponse;
use calendar_edge::backend::with_listed_namespace;
use calendar_edge_core::explain::TypedRequest;
use calendar_edge_core::migration::comparison::{ComparisonReport, DifferenceClass, ReadyDemand};
use calendar_edge_core::settings::PRIMARY;

use super::super::call_judge::{CallJudge, Judged};
use super::super::environment::Environment;
use super::super::runtime;
use super::super::status::{Status, could_not_run};
use super::compare_args::CompareArgs;
use super::printed;
use super::sides::{ComparedCall, Sides};

/// Sends the call to both backends once. Statuses: 0 nothing worse than `--accept`, 1 something worse, 2 it could not
/// run.
pub(crate) fn run(
    args: &CompareArgs,
    environment: Environment<'_>,
    out: &mut dyn Write,
) -> anyhow::Result<Status> {
    let accepted = args.accept.accept;
    let request = args.request.request(None, &args.target)?;
    let result = could_not_run(send(args, &request, accepted, environment))?;
    let Some((compared, sides, demanded)) = result else {
        return Ok(Status::Unusable);
    };
    let mut report = ComparisonReport::default();
    report.note_ended(compared.ended.clone());
    report.add(&compared.reported, &compared.findings, jiff::Timestamp::now());
    if args.output.json {
        serde_json::to_writer_pretty(&mut *out, &report.to_json(&demanded)).map_err(std::io::Error::from)?;
        writeln!(out)?;
    } else {
        print(&compared, &sides, out)?;
    }
    Ok(if report.worst() <= accepted {
        Status::Success
    } else {
        Status::Failure
    })
}

fn send(
    args: &CompareArgs,
    request: &TypedRequest,
    accepted: DifferenceClass,
    environment: Environment<'_>,
) -> anyhow::Result<(ComparedCall, Sides, ReadyDemand)> {
    let runtime = runtime::single()?;
    let settings = args.site.load(environment)?;
    let settings = runtime.block_on(with_listed_namespace(settings));
    let sides = Sides::live(&settings, args.to.as_deref())?;
    let call = match CallJudge::new(&settings).judge(request) {
        Judged::Call(call) => call,
        Judged::OwnResponse => {
            anyhow::bail!("the edge responds to this request itself: see `calendar-edge explain`")
        }
        Judged::Elsewhere => anyhow::bail!("this request is not for the calendar"),
    };
    if call.is_write() && !args.writes {
        anyhow::bail!("this call changes the calendar: --writes sends it to both backends");
    }
    if let Some(reason) = sides.withheld(&call) {
        anyhow::bail!("the call is not sent to `{}`: {reason}", sides.other_name());
    }
    let compared = runtime.block_on(sides.compare(&call))?;
    let demanded = ReadyDemand::new(&settings.compare, accepted, jiff::Timestamp::now());
    Ok((compared, sides, demanded))
}

fn print(compared: &ComparedCall, sides: &Sides, out: &mut dyn Write) -> std::io::Result<()> {
    let other = sides.other_name();
    for (name, answer) in [(PRIMARY, &compared.primary), (other, &compared.other)] {
        writeln!(out, "{name}: {}", described(answer))?;
    }
    printed::findings(&compared.findings, other, out)?;
    if compared.findings.is_empty() {
        writeln!(out, "no difference")?;
    }
    Ok(())
}

fn described(answer: &DryRunResponse) -> String {
    let status = answer.status.as_u16();
    match &answer.failure {
        Some(failure) => format!("the edge would respond with {status}: {failure}"),
        None => format!("status {status}, {} bytes", answer.body.len()),
    }
}
