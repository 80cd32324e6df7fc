//! `migration report`: the differences that copies of calls have shown.

use std::io::Write;

use anyhow::bail;
use calendar_edge_core::migration::comparison::DifferenceClass;
use calendar_edge_core::settings::OperationPattern;
use serde_json::Value;

use super::super::admin_client::AdminClient;
use super::super::status::{Status, could_not_run};
use super::args::ReportArgs;
use super::printed;

/// Prints the report. Statuses: 0 nothing worse than `--accept`, 1 something worse, 2 it could not run, or nothing was
/// compared.
pub(super) fn run(args: &ReportArgs, out: &mut dyn Write) -> anyhow::Result<Status> {
    let accepted = args.accept.accept;
    let Some((backend, mut report)) = could_not_run(request(args, accepted))? else {
        return Ok(Status::Unusable);
    };
    if let Some(pattern) = &args.operation {
        keep(&mut report, pattern);
    }
    let report = &report;
    if args.output.json {
        writeln!(out, "{report:#}")?;
    } else {
        printed::report(report, &backend, out)?;
        writeln!(
            out,
            "{} calls compared, the worst class is {}",
            report["calls"],
            worst(report)
        )?;
    }
    Ok(if report["calls"] == 0 {
        Status::Unusable
    } else if worst(report) <= accepted {
        Status::Success
    } else {
        Status::Failure
    })
}

/// The report of the named backend, or of the only one.
fn request(args: &ReportArgs, accepted: DifferenceClass) -> anyhow::Result<(String, Value)> {
    let client = AdminClient::new(&args.edge)?;
    let page = &client.get("/migration")?;
    let known = page["backends"].as_object();
    let names: Vec<&String> = known.into_iter().flat_map(|known| known.keys()).collect();
    let backend = match (args.backend.clone(), names.as_slice()) {
        (Some(name), names) if names.contains(&&name) => name,
        (Some(name), _) => bail!("the edge has no [backends.{name}]"),
        (None, [only]) => (*only).clone(),
        (None, []) => bail!("the edge has no [backends.NAME]"),
        (None, _) => bail!("the edge has several backends: name one with --backend"),
    };
    let report = client.get(&format!("/migration/report/{backend}?accept={accepted}"))?;
    Ok((backend, report))
}

/// Leaves the operations of a pattern.
fn keep(report: &mut Value, pattern: &OperationPattern) {
    let mut calls = 0;
    if let Some(operations) = report["operations"].as_object_mut() {
        operations.retain(|name, _| pattern.matches(name));
        calls = operations
            .values()
            .filter_map(|operation| operation["calls"].as_u64())
            .sum();
    }
    report["calls"] = calls.into();
}

/// The worst class of all paths.
fn worst(report: &Value) -> DifferenceClass {
    let operations = report["operations"].as_object().into_iter().flatten();
    let paths = operations.flat_map(|(_, operation)| operation["paths"].as_array().into_iter().flatten());
    let classes = paths.filter_map(|path| path["class"].as_str()?.parse().ok());
    classes.max().unwrap_or(DifferenceClass::Identical)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_pattern_leaves_its_operations() {
        let path = |class: &str| json!({"paths": [{"class": class}], "calls": 2});
        let mut report = json!({"calls": 4, "operations": {
            "events.list": path("different"), "venues.list": path("order"),
        }});
        assert_eq!(worst(&report), DifferenceClass::Different);
        keep(&mut report, &OperationPattern::parse("venues.*").unwrap());
        assert_eq!(
            (worst(&report), &report["calls"]),
            (DifferenceClass::Order, &json!(2))
        );
        keep(&mut report, &OperationPattern::parse("tags.*").unwrap());
        assert_eq!(
            (worst(&report), &report["calls"]),
            (DifferenceClass::Identical, &json!(0))
        );
    }
}
