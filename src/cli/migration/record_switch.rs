//! `migration record`: the recording of calls, shown and switched.

use std::io::Write;

use serde_json::Value;

use super::super::admin_client::AdminClient;
use super::super::status::{Status, could_not_run};
use super::args::RecordArgs;

/// Shows or switches the recording. Statuses: 0 calls are recorded, 1 they are not, 2 it could not run.
pub(super) fn run(args: &RecordArgs, out: &mut dyn Write) -> anyhow::Result<Status> {
    let Some(status) = could_not_run(asked(args))? else {
        return Ok(Status::Unusable);
    };
    let status = &status;
    let is_on = status["on"] == Value::Bool(true);
    let is_expected = args.switch.as_deref() == Some("off") || is_on;
    serde_json::to_writer_pretty(&mut *out, status).map_err(std::io::Error::from)?;
    writeln!(out)?;
    Ok(if is_expected {
        Status::Success
    } else {
        Status::Failure
    })
}

fn asked(args: &RecordArgs) -> anyhow::Result<Value> {
    let client = AdminClient::new(&args.edge)?;
    match &args.switch {
        Some(switch) => client.post(&format!("/record/{switch}"), String::new()),
        None => client.get("/record"),
    }
}
