//! `calendar-edge migration compare`: one call, both responses.

use std::io::Write;

use anyhow::{anyhow, bail};
use calendar_edge::app::{DryRunResponse, Reach};
use calendar_edge::backend::with_listed_namespace;
use calendar_edge_core::explain::TypedRequest;
use calendar_edge_core::settings::PRIMARY;

use super::super::call_judge::CallJudge;
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
    let result = could_not_run(send(args, &request, environment))?;
    let Some((compared, sides)) = result else {
        return Ok(Status::Unusable);
    };
    if args.output.json {
        sides.add(&compared);
        writeln!(out, "{:#}", sides.findings.to_json(accepted))?;
    } else {
        print(&compared, &sides, out)?;
    }
    Ok(if compared.findings.worst() <= accepted {
        Status::Success
    } else {
        Status::Failure
    })
}

fn send(
    args: &CompareArgs,
    request: &TypedRequest,
    environment: Environment<'_>,
) -> anyhow::Result<(ComparedCall, Sides)> {
    let runtime = runtime::single()?;
    let settings = args.site.load(environment)?;
    let settings = runtime.block_on(with_listed_namespace(settings));
    let sides = Sides::live(&settings, args.to.as_deref(), &settings.compare)?;
    let call = CallJudge::new(&settings).judge(request);
    let call = call.map_err(|reason| anyhow!("{reason}: see `calendar-edge explain`"))?;
    if call.is_write() && !args.writes {
        bail!("this call changes the calendar: --writes sends it to both backends");
    }
    if let Some(reason) = sides.withheld(&call) {
        bail!("the call is not sent to `{}`: {reason}", sides.backend.name);
    }
    let compared = runtime.block_on(sides.compare(&call));
    for (name, answer) in [
        (PRIMARY, &compared.primary),
        (&*sides.backend.name, &compared.other),
    ] {
        if let (Reach::Nowhere, Some(failure)) = (answer.reach, &answer.failure) {
            bail!("the backend `{name}` cannot be reached: {failure}");
        }
    }
    Ok((compared, sides))
}

fn print(compared: &ComparedCall, sides: &Sides, out: &mut dyn Write) -> std::io::Result<()> {
    let other = sides.backend.name.as_str();
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
