//! Runs `explain`: from arguments to the story on standard output.

use std::io::Write;

use calendar_edge::telemetry::printable_json;
use calendar_edge_core::explain::TypedRequest;

use super::super::environment::Environment;
use super::super::status::{Misuse, Status};
use super::explain_args::ExplainArgs;
use super::explanation::explanation;
use super::recorded_refusal;
use super::text;

/// Explains one request; the exit status tells whether it is refused.
pub(crate) fn run(
    args: &ExplainArgs,
    environment: Environment<'_>,
    out: &mut dyn Write,
) -> anyhow::Result<Status> {
    if let [id] = args.target.as_slice()
        && is_id(id)
    {
        return recorded_refusal::run(id, args, out);
    }
    let story = explanation(args, environment, &typed(args)?)?;
    if args.output.json {
        writeln!(out, "{}", printable_json(&format!("{story:#}")))?;
    } else {
        text::write(&story, out)?;
    }
    Ok(if story["outcome"] == "refused" {
        Status::Refused
    } else {
        Status::Success
    })
}

fn typed(args: &ExplainArgs) -> anyhow::Result<TypedRequest> {
    let (method, target) = match args.target.as_slice() {
        [method, target] => (Some(method), target),
        [target] => (None, target),
        _ => return Err(Misuse("TARGET is missing").into()),
    };
    Ok(TypedRequest {
        client: Some(args.client),
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

    fn explain(typed: &[&str]) -> anyhow::Result<String> {
        let Command::Explain(args) =
            Cli::try_parse_from([&["calendar-edge", "explain"], typed].concat())?.command
        else {
            panic!("another command");
        };
        let mut out = Vec::new();
        run(&args, Environment::new(&|_| None), &mut out)?;
        Ok(String::from_utf8(out)?)
    }

    #[test]
    fn says_what_is_forwarded_and_what_is_dropped() {
        let text = explain(&[
            "PUT",
            "/wp-json/calendar/events/v1/events/056?lang=de",
            "-d",
            r#"{"title":"x","colour":"red"}"#,
            "-H",
            "Authorization: Basic YTpi",
        ]);
        let text = text.expect("a story");
        let parts = [
            "root       /wp-json",
            "route      /{namespace}/events/{id}",
            "operation  events.update",
            "caller     with credentials",
            "colour (json) dropped",
            "namespace  tribe/events/v1",
            "index      unknown: judged by the edge's own table (no site is named)",
            "POST https://wp.example.org/wp-json/tribe/events/v1/events/56?lang=de",
            r#"  {"title":"x"}"#,
        ];
        for part in parts {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
    }

    #[test]
    fn says_what_is_refused_and_why() {
        let cases = [
            (
                "/wp-json/calendar/events/v1/events?page=0",
                "page is not positive_int",
            ),
            (
                "/wp-json/calendar/events/v1/events?page=0",
                "400 rest_invalid_param",
            ),
            ("/wp-json/calendar/events/v1/nope", "404 rest_no_route"),
            ("/somewhere/else", "404 rest_no_route"),
            (
                "/wp-json/calendar/events/v1/events?_jsonp=a",
                "rest_callback_disabled",
            ),
        ];
        for (target, part) in cases {
            let text = explain(&["GET", target]).expect("a story");
            assert!(
                text.contains("\nrefused\n") && text.contains(part),
                "{part} is not in\n{text}"
            );
        }
    }

    #[test]
    fn reads_credentials_as_the_edge_does() {
        let target = "/wp-json/calendar/events/v1/events";
        let basic = "Authorization: Basic YTpi";
        let twice = explain(&["GET", target, "-H", basic, "-H", basic]).expect("a story");
        assert!(twice.contains("400 edge_bad_authorization"), "{twice}");
        let nowhere = explain(&["GET", &format!("{target}/x/y"), "-H", basic, "-H", basic]);
        let nowhere = nowhere.expect("a story");
        assert!(nowhere.contains("404 rest_no_route"), "{nowhere}");
    }

    #[test]
    fn names_the_spelling_and_the_type() {
        let text = explain(&[
            "GET",
            "/wp-json/calendar/events/v1/events?per.page=2&featured=maybe",
        ]);
        let text = text.expect("a story");
        for part in [
            "per_page  query  \"2\" is positive_int: good, sent as per.page",
            "then of type boolean",
        ] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
    }

    #[test]
    fn speaks_json() {
        let text = explain(&["GET", "/wp-json/calendar/events/v1/events?page=2", "--json"]).expect("a story");
        let story: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(story["outcome"], "forwarded");
        assert_eq!(story["arguments"][0]["verdict"], "good");
    }

    #[test]
    fn reads_a_configuration_file() {
        let file = std::env::temp_dir().join(format!("edge-{}-explained.toml", std::process::id()));
        let german =
            "[[roots]]\npath = \"/de/wp-json\"\norigin_url = \"https://wp.example.org/de/wp-json\"\n";
        let lines = format!("[origin]\nurl = \"https://wp.example.org/wp-json\"\n{german}");
        std::fs::write(&file, lines).expect("a writable directory");
        let target = "/de/wp-json/tribe/events/v1/events";
        let name = file.to_str().expect("a path of text");
        let text = explain(&[
            "GET",
            target,
            "--config",
            name,
            "--origin-namespace",
            "tribe/events/v1",
        ]);
        let text = text.expect("a story");
        std::fs::remove_file(&file).expect("it was written");
        assert!(
            text.contains("GET https://wp.example.org/de/wp-json/tribe/events/v1/events"),
            "{text}"
        );
    }

    #[test]
    fn says_which_backend_answers_and_why() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/config/cutover.toml");
        let lines = |method: &str, path: &str| {
            let target = format!("/wp-json/calendar/events/v1/{path}");
            let basic = "Authorization: Basic YTpi";
            explain(&[method, &target, "--config", file, "-H", basic]).expect("a story")
        };
        let anonymous = |path: &str| {
            let target = format!("/wp-json/calendar/events/v1/{path}");
            explain(&["GET", &target, "--config", file]).expect("a story")
        };
        for (story, expected) in [
            (
                anonymous("venues"),
                "next responds: 10% of the clients: rule venues-read",
            ),
            (
                anonymous("venues"),
                "origin responds: the other clients: no rule takes them",
            ),
            (
                anonymous("venues"),
                "next gets a copy: 5% of the calls: rule of [[shadow]]",
            ),
            (
                anonymous("tags"),
                "origin responds: all clients: no rule of [[cutover]] is about the call",
            ),
            (
                anonymous("organizers"),
                "next responds: 1% of the clients: rule organizers",
            ),
            (lines("GET", "venues"), "origin responds: all clients"),
            (
                lines("DELETE", "organizers/7"),
                "next responds: 1% of the clients: rule organizers",
            ),
        ] {
            assert!(story.contains(expected), "{expected} is not in\n{story}");
        }
    }

    #[test]
    fn prints_the_key_of_the_backend_that_answers() {
        let key = |moved: &str| {
            let file =
                std::env::temp_dir().join(format!("edge-{}-key{}.toml", std::process::id(), moved.len()));
            let settings = "cache.enabled = true\n[origin]\nurl = \"http://wp.example/wp-json\"\nnamespace = \"tribe/events/v1\"\n\
                            [backends.next]\nurl = \"http://next.example/wp-json\"\n";
            std::fs::write(&file, format!("{settings}{moved}")).expect("a writable directory");
            let name = file.to_str().expect("a path of text");
            let target = "/wp-json/calendar/events/v1/venues";
            let story = explain(&["GET", target, "--config", name, "--json"]).expect("a story");
            std::fs::remove_file(&file).expect("it was written");
            let story: serde_json::Value = serde_json::from_str(&story).expect("JSON");
            story["cache"]["key"].as_str().expect("a key").to_owned()
        };
        let rule = "[[cutover]]\nname = \"a\"\nbackend = \"next\"\noperations = [\"venues.*\"]\n";
        let part = format!("{rule}share = \"10%\"\n");
        assert_eq!(key(&part), key(""), "the site serves most clients");
        assert_ne!(key(rule), key(""));
    }

    #[test]
    fn refuses_what_is_no_request() {
        let cases: [&[&str]; 4] = [
            &["GET", "events"],
            &["GET", "/a b"],
            &["G T", "/"],
            &["GET", "/", "-H", "nameless"],
        ];
        for typed in cases {
            let error = explain(typed).expect_err("no request");
            assert!(error.is::<super::super::super::status::Misuse>(), "{typed:?}");
        }
    }
}
