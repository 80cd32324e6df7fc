//! The walk from settings to verdict.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anyhow::{Context as _, bail};
use calendar_edge::backend::with_listed_namespace;
use calendar_edge::telemetry::printable;
use serde_json::{Value, json};

use super::super::super::environment::Environment;
use super::super::super::status::{Status, could_not_run};
use super::super::super::typed_request::header_lines;
use super::super::printed;
use super::record_walk::{RecordWalk, WalkFindings};
use super::sides::Sides;
use super::verify_args::VerifyArgs;

/// The most records that are named for one cause; the JSON names all.
const MOST_NAMED: usize = 20;

/// Compares everything. Statuses: 0 all records and lists are equal, 1 some are not, 2 it could not run to its end, or
/// is incomplete.
pub(in super::super) fn run(
    args: &VerifyArgs,
    environment: Environment<'_>,
    out: &mut dyn Write,
) -> anyhow::Result<Status> {
    let Some((found, backend)) = could_not_run(walked(args, environment))? else {
        return Ok(Status::Unusable);
    };
    let is_equal = found.unequal.is_empty() && found.unequal_pages == 0 && found.only_there.is_empty();
    let whole = json(&found);
    if args.output.json {
        writeln!(out, "{whole:#}")?;
    } else {
        printed::report(&whole, &backend, out)?;
        verdict(&found, &backend, out)?;
    }
    Ok(match (is_equal, found.incomplete.is_empty()) {
        (false, _) => Status::Failure,
        (true, false) => Status::Unusable,
        (true, true) => Status::Success,
    })
}

fn walked(args: &VerifyArgs, environment: Environment<'_>) -> anyhow::Result<(WalkFindings, String)> {
    let headers = header_lines(&args.header)?;
    let runtime = tokio::runtime::Runtime::new().context("the runtime does not start")?;
    let settings = args.site.load(environment)?;
    let (found, backend) = runtime.block_on(async {
        let settings = with_listed_namespace(settings).await;
        let sides = Sides::new(&settings, args.to.as_deref(), (args.rate, args.accept.accept))?;
        let backend = sides.backend.name.clone();
        let walk = RecordWalk::new(&settings, sides, headers);
        tokio::select! {
            found = walk.all() => anyhow::Ok((found?, backend)),
            // Without a handler, the signal ends the program.
            _ = tokio::signal::ctrl_c() => bail!("interrupted: begin again"),
        }
    })?;
    if found.pages == 0 {
        let skipped = found.report.get("skipped").and_then(Value::as_object);
        let reasons: Vec<&str> = skipped
            .into_iter()
            .flatten()
            .map(|(reason, _)| &**reason)
            .collect();
        bail!("nothing was compared: {}", reasons.join(", "));
    }
    Ok((found, backend))
}

fn json(found: &WalkFindings) -> Value {
    let mut whole = found.report.clone();
    let own = json!({
        "records": found.counts,
        "unequal": found.unequal,
        "pages": {"compared": found.pages, "unequal": found.unequal_pages},
        "only_there": found.only_there,
        "not_covered": found.not_covered,
        "incomplete": found.incomplete,
    });
    if let (Some(members), Value::Object(own)) = (whole.as_object_mut(), own) {
        members.extend(own);
    }
    whole
}

fn verdict(found: &WalkFindings, backend: &str, out: &mut dyn Write) -> io::Result<()> {
    let skipped = found.report.get("skipped").and_then(Value::as_object);
    for (reason, count) in skipped.into_iter().flatten() {
        writeln!(out, "skipped {count}: {reason}")?;
    }
    let (mut records, mut equal) = (0, 0);
    for (kind, counts) in &found.counts {
        writeln!(
            out,
            "{kind}: {} of {} records are equal",
            counts.equal, counts.records
        )?;
        records += counts.records;
        equal += counts.equal;
    }
    let unequal = found.unequal.iter();
    let unequal = unequal.map(|record| {
        let cause = format!("{} at {}", record.class, record.paths.join(", "));
        (cause, &record.key)
    });
    let extra = found.only_there.iter();
    let extra = extra.map(|key| (format!("only `{backend}` has it"), key));
    let mut causes: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for (cause, key) in unequal.chain(extra) {
        let alike = causes.entry((&key.kind, cause)).or_default();
        alike.push(key.id.to_string());
    }
    for ((kind, cause), mut ids) in causes {
        let all = ids.len();
        ids.truncate(MOST_NAMED);
        let line = format!("  {kind}, {all} records: {cause}: {}", ids.join(", "));
        writeln!(out, "{}", printable(&line))?;
    }
    for unread in &found.not_covered {
        writeln!(out, "not compared: {unread}")?;
    }
    for list in &found.incomplete {
        writeln!(out, "incomplete: {list}")?;
    }
    writeln!(
        out,
        "{equal} of {records} records and {} of {} pages of lists are equal",
        found.pages - found.unequal_pages,
        found.pages
    )
}
