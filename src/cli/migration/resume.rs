//! `migration resume`: an operator lets a rule take clients again.

use std::io::Write;

use anyhow::bail;
use serde_json::Value;

use super::super::admin_client::AdminClient;
use super::super::status::{Status, could_not_run};
use super::args::ResumeArgs;

/// Resumes a rule. Statuses: 0 it was resumed, 1 its guard had not returned its calls, 2 it could not run.
pub(super) fn run(args: &ResumeArgs, out: &mut dyn Write) -> anyhow::Result<Status> {
    match could_not_run(resume(args))? {
        None => Ok(Status::Unusable),
        Some(true) => {
            writeln!(out, "the rule {} takes clients again", args.rule)?;
            Ok(Status::Success)
        }
        Some(false) => {
            writeln!(out, "the guard of {} has returned no calls", args.rule)?;
            Ok(Status::Failure)
        }
    }
}

fn resume(args: &ResumeArgs) -> anyhow::Result<bool> {
    let client = AdminClient::new(&args.edge)?;
    let page = &client.get("/migration")?;
    let rules = page["rules"].as_array().map(Vec::as_slice).unwrap_or_default();
    let names: Vec<&str> = rules.iter().filter_map(|rule| rule["name"].as_str()).collect();
    if !names.contains(&args.rule.as_str()) {
        bail!("the edge has no rule {}; it has: {}", args.rule, names.join(", "));
    }
    let done = &client.post(&format!("/migration/resume/{}", args.rule), String::new())?;
    Ok(done["resumed"] == Value::Bool(true))
}
