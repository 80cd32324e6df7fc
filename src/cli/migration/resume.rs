//! `migration resume`: an operator lets a rule take clients again.

use std::io::Write;

use anyhow::bail;
use serde_json::Value;

use super::super::admin_client::AdminClient;
use super::super::args::EdgeArgs;
use super::super::status::{Status, could_not_run};

/// Resumes a rule. Statuses: 0 it was resumed, 1 its guard had not returned its calls, 2 it could not run.
pub(super) fn run(rule: &str, edge: &EdgeArgs, out: &mut dyn Write) -> anyhow::Result<Status> {
    match could_not_run(resume(rule, edge))? {
        None => Ok(Status::Unusable),
        Some(true) => {
            writeln!(out, "the rule {rule} takes clients again")?;
            Ok(Status::Success)
        }
        Some(false) => {
            writeln!(out, "the guard of {rule} has returned no calls")?;
            Ok(Status::Failure)
        }
    }
}

fn resume(rule: &str, edge: &EdgeArgs) -> anyhow::Result<bool> {
    let client = AdminClient::new(edge)?;
    let page = &client.get("/migration")?;
    let rules = page["rules"].as_array().map(Vec::as_slice).unwrap_or_default();
    let names: Vec<&str> = rules.iter().filter_map(|rule| rule["name"].as_str()).collect();
    if !names.contains(&rule) {
        bail!("the edge has no rule {rule}; it has: {}", names.join(", "));
    }
    let done = &client.post(&format!("/migration/resume/{rule}"), String::new())?;
    Ok(done["resumed"] == Value::Bool(true))
}
