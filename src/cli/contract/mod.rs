//! `calendar-edge contract test`: a test that a backend keeps the contract of the API.
//!
//! Nothing is known of its records beforehand. The right responses follow from the table, by which calls are judged,
//! from the models of responses, from requests whose responses at WordPress depend on no content, and from laws that
//! hold for every list.

#![allow(
    clippy::indexing_slicing,
    reason = "indexes JSON values to read them, which gives null for what is not there"
)]

mod argument_cases;
mod contract_args;
mod date_laws;
mod filter_laws;
mod paging_laws;
mod read_laws;
mod recorded_cases;
mod suite;
mod suite_report;
mod tested_api;
mod write_laws;

use std::io::Write;

pub(super) use contract_args::ContractCommand;
use contract_args::ContractTestArgs;
use suite::Suite;
use suite_report::SuiteReport;

use super::runtime;
use super::status::{Status, could_not_run};

/// Tests a backend. Statuses: 0 it keeps the contract, 1 it does not, 2 it gives no responses or the test was
/// interrupted.
pub(super) fn run(command: &ContractCommand, out: &mut dyn Write) -> anyhow::Result<Status> {
    let ContractCommand::Test(args) = command;
    let Some((report, is_interrupted)) = could_not_run(tested(args))? else {
        return Ok(Status::Unusable);
    };
    if args.output.json {
        let mut whole = report.to_json();
        whole["interrupted"] = is_interrupted.into();
        writeln!(out, "{whole:#}")?;
    } else {
        report.write(out)?;
        if is_interrupted {
            writeln!(out, "interrupted: not every law was tried")?;
        }
    }
    Ok(if report.failed() > 0 {
        Status::Failure
    } else if is_interrupted {
        Status::Unusable
    } else {
        Status::Success
    })
}

fn tested(args: &ContractTestArgs) -> anyhow::Result<(SuiteReport, bool)> {
    let runtime = runtime::single()?;
    runtime.block_on(async {
        let mut suite = Suite::new(args.api()?).await?;
        let interrupted = suite.api.interrupted();
        let is_interrupted = tokio::select! {
            // First, so that records which the last response created are noted.
            biased;
            () = suite.run(args.writes) => false,
            _ended = interrupted => true,
        };
        suite.clean_up().await;
        Ok((suite.report, is_interrupted))
    })
}
