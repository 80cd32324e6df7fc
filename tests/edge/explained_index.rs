//! `explain` prints what the running edge of a file decides, whatever the site publishes.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::support::{Answer, Directory, Edge, Gate, Origin, Program, Reply, closed_port, index_text};

/// Paths and queries on which namespaces and versions of the plugin disagree.
const ASKED: [&str; 12] = [
    "",
    "/events?page=2",
    "/events?page=none",
    "/events?starts_after=abc",
    "/events?ticketed[]=x&strict_dates=0",
    "/events?ends_before[]=1&per_page=3",
    "/events?wpml_language=de&other=1",
    "/events/0?page=1",
    "/events/7?password[]=x",
    "/venues?wpml_language=de&search=a",
    "/tags?per_page=0&wpml_language[]=x",
    "/nowhere",
];

/// A decision, as the edge or as `explain` shows it: the status of a refusal, or the target at the site.
#[derive(Debug, PartialEq)]
enum Decided {
    Refused(u64, String),
    Forwarded(String),
}

fn targets() -> impl Iterator<Item = String> {
    let namespaces = ["calendar/events/v1", "tribe/events/v1", "club/events/v1"];
    let below = |namespace| ASKED.map(|asked| format!("/wp-json/{namespace}{asked}"));
    namespaces.into_iter().flat_map(below)
}

/// A site with this namespace and the index of this version.
async fn site(namespace: &'static str, version: &'static str, gate: Option<Gate>) -> Origin {
    let index = index_text(version).replace(r"tribe\/events\/v1", &namespace.replace('/', r"\/"));
    let list = format!(r#"{{"namespaces":["wp/v2","{namespace}"]}}"#);
    let own = format!("/wp-json/{namespace}");
    Origin::answering(move |seen| {
        let reply = match seen.target.as_str() {
            "/wp-json/?_fields=namespaces" => Reply::json(200, &list),
            target if target == own && seen.header("user-agent").is_some_and(is_the_edge) => {
                Reply::json(200, &index)
            }
            target if target == format!("{own}/events/0") => {
                Reply::json(400, r#"{"code":"rest_invalid_param"}"#)
            }
            _ => return Reply::json(200, "{}"),
        };
        match &gate {
            Some(gate) => reply.behind(gate),
            None => reply,
        }
    })
    .await
}

fn is_the_edge(agent: &str) -> bool {
    agent.starts_with("calendar-edge/")
}

fn configuration(origin: &Origin, file: &Path, more: &str) -> String {
    let state_dir = file.parent().expect("a folder").display();
    format!(
        "listen = \"127.0.0.1:0\"\nstate_dir = \"{state_dir}\"\n[origin]\nurl = \"{}/wp-json\"\n{more}\n\
         [admin]\nlisten = \"{}\"\n[cache]\nenabled = false\n",
        origin.base(),
        closed_port()
    )
}

async fn decided(program: &Program, origin: &Origin, target: &str) -> Decided {
    origin.take_seen();
    let request = Edge::client().get(program.url(target));
    let answer = Answer::to(request).await;
    let seen = origin.take_seen().into_iter();
    let call = seen
        .filter(|seen| !seen.header("user-agent").is_some_and(is_the_edge))
        .last();
    match call {
        Some(call) => Decided::Forwarded(call.target),
        None => Decided::Refused(answer.status.as_u16().into(), answer.code()),
    }
}

/// The edge that explains, and its decision.
async fn explained(config: &Arc<PathBuf>, target: &str) -> (Value, Decided) {
    let (config, target) = (Arc::clone(config), target.to_owned());
    let run = move || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
        command
            .args(["explain", "--json", "--config"])
            .arg(&*config)
            .arg(target);
        command.output().expect("the program runs")
    };
    let output = tokio::task::spawn_blocking(run).await.expect("no panic");
    let errors = String::from_utf8_lossy(&output.stderr);
    let story: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"));
    let decided = if story["outcome"] == "forwarded" {
        let url: url::Url = story["request"]["url"]
            .as_str()
            .expect("text")
            .parse()
            .expect("a URL");
        Decided::Forwarded(url[url::Position::BeforePath..].to_owned())
    } else {
        let code = story["response"]["code"].as_str().expect("a refusal");
        let status = story["response"]["status"].as_u64().expect("a status");
        Decided::Refused(status, code.to_owned())
    };
    (story["index"].clone(), decided)
}

async fn agree(program: &Program, config: &Arc<PathBuf>, expected: &[(String, Decided)]) {
    for (target, expected) in expected {
        let (index, decided) = explained(config, target).await;
        assert_eq!(
            index["place"],
            format!("http://{}", program.admin),
            "{target} {index}"
        );
        assert_eq!(&decided, expected, "{target} {index}");
    }
}

async fn all_decided(program: &Program, origin: &Origin) -> Vec<(String, Decided)> {
    let mut all = Vec::new();
    for target in targets() {
        let decided = decided(program, origin, &target).await;
        all.push((target, decided));
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn the_file_leads_to_the_decision_of_the_running_edge() {
    for (namespace, version) in [
        ("tribe/events/v1", "6.15.16+wpml"),
        ("calendar/events/v1", "6.10.0"),
        ("club/events/v1", "5.12.4"),
    ] {
        let directory = Directory::new(&format!("explained-{version}"));
        let file = directory.path().join("indexes.json");
        let origin = site(namespace, version, None).await;
        let config = Arc::new(directory.write("edge.toml", &configuration(&origin, &file, "")));
        let program = Program::serve(&config).await;
        while !file.exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let expected = all_decided(&program, &origin).await;
        let forwarded = expected
            .iter()
            .filter(|(_, decided)| matches!(decided, Decided::Forwarded(_)));
        let forwarded = forwarded.count();
        assert!(forwarded >= 8 && forwarded < expected.len(), "{forwarded}");
        agree(&program, &config, &expected).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_edge_that_has_read_nothing_yet_is_believed_too() {
    let directory = Directory::new("explained-awaited");
    let gate = Gate::closed();
    let origin = site("tribe/events/v1", "6.10.0", Some(gate.clone())).await;
    let named = "namespace = \"tribe/events/v1\"";
    let text = configuration(&origin, &directory.path().join("indexes.json"), named);
    let config = Arc::new(directory.write("edge.toml", &text));
    let program = Program::serve(&config).await;
    let targets = ["/events?page=none", "/events?wpml_language=de&wp_customize=on"];
    for target in targets.map(|asked| format!("/wp-json/calendar/events/v1{asked}")) {
        let expected = decided(&program, &origin, &target).await;
        assert!(matches!(expected, Decided::Forwarded(_)), "{expected:?}");
        agree(&program, &config, &[(target, expected)]).await;
    }
    gate.open();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_edge_in_another_mode_than_the_file_is_believed_too() {
    let directory = Directory::new("explained-mode");
    let origin = site("tribe/events/v1", "6.10.0", None).await;
    let text = configuration(&origin, &directory.path().join("indexes.json"), "");
    let config = Arc::new(directory.write("edge.toml", &text));
    let mut command = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
    command.env("CALENDAR_EDGE_MODE", "report");
    let program = Program::start(command, &config).await;
    let target = "/wp-json/tribe/events/v1/events?page=none".to_owned();
    let expected = decided(&program, &origin, &target).await;
    assert!(matches!(expected, Decided::Forwarded(_)), "{expected:?}");
    let (index, decided) = explained(&config, &target).await;
    assert_eq!(decided, expected);
    assert_eq!(index["mode"], "report");
    let mut tried = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
    tried
        .args(["explain", &target, "--config"])
        .arg(&*config)
        .env("CALENDAR_EDGE_MODE", "enforce");
    let tried = tried.output().expect("the program starts");
    let text = String::from_utf8_lossy(&tried.stdout);
    assert_eq!(tried.status.code(), Some(3), "3 is a refusal: {text}");
}
