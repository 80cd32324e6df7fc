//! Runs `explain`: from arguments to the story on standard output.

use std::io::Write;

use anyhow::Context as _;
use calendar_edge::telemetry::{printable, printable_json};
use calendar_edge_core::explain::TypedRequest;
use serde_json::Value;

use super::super::environment::{Environment, MODE};
use super::super::status::{Misuse, Status};
use super::explain_args::ExplainArgs;
use super::recorded_refusal;
use super::text;

/// Has the running edge explain one request; the exit status shows if it is refused.
pub(crate) fn run(
    args: &ExplainArgs,
    environment: Environment<'_>,
    out: &mut dyn Write,
) -> anyhow::Result<Status> {
    let (story, lines): (Value, fn(&Value) -> Vec<String>) = match args.target.as_slice() {
        [id] if is_id(id) => (
            recorded_refusal::find(&args.client(environment)?, id)?,
            recorded_refusal::lines,
        ),
        _ => (explained(args, environment)?, text::lines),
    };
    if args.output.json {
        writeln!(out, "{}", printable_json(&format!("{story:#}")))
    } else {
        // Hidden characters of the request cannot reach the terminal.
        let mut lines = lines(&story).into_iter();
        lines.try_for_each(|line| writeln!(out, "{}", printable(&line)))
    }
    .context("standard output")?;
    Ok(if story["outcome"] == "refused" || story["action"] == "refused" {
        Status::Refused
    } else {
        Status::Success
    })
}

/// The decision about the typed request.
fn explained(args: &ExplainArgs, environment: Environment<'_>) -> anyhow::Result<Value> {
    let mut request = typed(args)?.to_json();
    request["mode"] = environment.text(MODE.variable).into();
    let client = args.client(environment)?;
    let story = client.post("/explain", request.to_string());
    let mut story =
        story.context("a running edge explains requests: start it, or give its address with --admin")?;
    story["index"]["place"] = client.base.origin().ascii_serialization().into();
    Ok(story)
}

fn typed(args: &ExplainArgs) -> anyhow::Result<TypedRequest> {
    let (method, target) = match args.target.as_slice() {
        [method, target] => (Some(method), target),
        [target] => (None, target),
        _ => return Err(Misuse("TARGET is missing").into()),
    };
    Ok(TypedRequest {
        client: Some(args.client_address),
        ..args.request.request(method, target)?
    })
}

/// Targets begin with a slash or a scheme, which no id has.
fn is_id(text: &str) -> bool {
    !text.starts_with('/') && !text.contains("://")
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::super::super::command_line::{Cli, Command};
    use super::*;

    #[test]
    fn refuses_what_is_no_request() {
        let cases: [&[&str]; 4] = [
            &["GET", "events"],
            &["GET", "/a b"],
            &["G T", "/"],
            &["GET", "/", "-H", "nameless"],
        ];
        for typed in cases {
            let line = [&["calendar-edge", "explain"], typed].concat();
            let Ok(Command::Explain(args)) = Cli::try_parse_from(line).map(|cli| cli.command) else {
                panic!("another command");
            };
            let error = run(&args, Environment::new(&|_| None), &mut Vec::new()).expect_err("no request");
            assert!(error.is::<Misuse>(), "{typed:?}");
        }
    }
}
