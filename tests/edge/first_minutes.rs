//! `init`: a site's description of itself becomes a configuration that `check` accepts.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::support::{Directory, Edge, Origin, Program, Reply};

const INDEX: &str = include_str!("../../fixtures/contract/index.json");

/// The result of one run.
pub(crate) struct Ran {
    pub(crate) status: Option<i32>,
    pub(crate) out: String,
    pub(crate) errors: String,
}

/// A fake WordPress: its folder, and the body of its REST root.
#[derive(Clone)]
pub(crate) struct FakeWordPress {
    pub(crate) folder: &'static str,
    root: Value,
    index: String,
}

// === impl FakeWordPress ===

impl FakeWordPress {
    pub(crate) fn plain() -> Self {
        Self {
            folder: "",
            root: json!({
                "name": "Town hall", "gmt_offset": "1", "timezone_string": "Europe/Berlin",
                "namespaces": ["oembed/1.0", "tribe/events/v1", "wp/v2"],
            }),
            index: INDEX.to_owned(),
        }
    }

    async fn start(self) -> Origin {
        Origin::answering_with(move |seen, base| self.answer(&seen.target, base)).await
    }

    pub(crate) fn answer(&self, target: &str, base: &str) -> Reply {
        let nothing = Reply::of_type(404, "text/html", "<p>nothing</p>");
        let path = target.split('?').next().unwrap_or_default();
        let Some(path) = path.strip_prefix(self.folder) else {
            return nothing;
        };
        let home = format!("{base}{}", self.folder);
        let root = format!("{home}/wp-json/");
        match path {
            "/" => Reply::of_type(200, "text/html", "<p>Town hall</p>")
                .header("link", &format!("<{root}>; rel=\"https://api.w.org/\"")),
            "/wp-json/" => {
                let mut document = self.root.clone();
                document["home"] = json!(home);
                Reply::json(200, &document.to_string())
            }
            "/wp-json/tribe/events/v1" => Reply::json(200, &self.index),
            "/wp-json/tribe/events/v1/events" => Reply::json(200, r#"{"events":[]}"#),
            "/wp-json/tribe/events/v1/events/0" => Reply::json(
                404,
                r#"{"code":"rest-event-not-found","message":"No event.","data":{"status":404}}"#,
            ),
            "/wp-content/plugins/the-events-calendar/readme.txt" => Reply::of_type(
                200,
                "text/plain",
                "=== The Events Calendar ===\nStable tag: 6.17.2\n",
            ),
            _ => nothing,
        }
    }
}

pub(crate) async fn run(arguments: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CALENDAR_EDGE_") {
            command.env_remove(name);
        }
    }
    command.args(arguments).stdin(Stdio::null());
    let output =
        tokio::task::spawn_blocking(move || -> Output { command.output().expect("the program starts") });
    let output = output.await.expect("no panic");
    Ran {
        status: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        errors: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Runs `init`, demands that it writes the file and that `check` finds nothing, and returns the file's active lines.
async fn accepted(site: &str, file: &Path) -> (Vec<String>, Ran) {
    let file = file.to_str().expect("a path of text");
    let ran = run(&["init", "--site", site, "--output", file]).await;
    assert_eq!(ran.status, Some(0), "{}{}", ran.out, ran.errors);
    let checked = run(&["check", "--config", file]).await;
    assert_eq!(checked.status, Some(0), "{}{}", checked.out, checked.errors);
    let text = std::fs::read_to_string(file).expect("the file is there");
    let active = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    (active.map(str::to_owned).collect(), ran)
}

#[tokio::test]
async fn a_plain_site_becomes_a_file_that_the_check_accepts() {
    let origin = FakeWordPress::plain().start().await;
    let directory = Directory::new("init-plain");
    let (lines, ran) = accepted(&origin.base(), &directory.path().join("edge.toml")).await;
    let expected = [
        format!("public_url = \"{}\"", origin.base()),
        "mode = \"report\"".to_owned(),
        "[origin]".to_owned(),
        format!("url = \"{}/wp-json\"", origin.base()),
        "namespace = \"tribe/events/v1\"".to_owned(),
        "[admin]".to_owned(),
        "listen = \"127.0.0.1:9787\"".to_owned(),
    ];
    assert_eq!(lines, expected);
    for part in [
        "the REST root",
        "named by the Link header",
        "time zone is Europe/Berlin",
        "The Events Calendar 6.17.2: the namespace tribe/events/v1",
        "calendar-edge serve --config",
        "warning: `origin.url` is the address that visitors use",
    ] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    assert!(
        origin
            .seen()
            .iter()
            .all(|seen| seen.method == "GET" && seen.header("authorization").is_none())
    );
}

#[tokio::test]
async fn a_site_in_a_folder_keeps_its_path() {
    let mut site = FakeWordPress::plain();
    site.folder = "/town/blog";
    let origin = site.start().await;
    let directory = Directory::new("init-folder");
    let address = format!("{}/town/blog", origin.base());
    let (lines, _) = accepted(&address, &directory.path().join("a/new/folder/edge.toml")).await;
    let text = lines.join("\n");
    let root = format!("path = \"/town/blog/wp-json\"\norigin_url = \"{address}/wp-json\"");
    assert!(text.contains(&root), "{text}");
    assert!(
        text.contains(&format!("public_url = \"{}\"", origin.base())),
        "{text}"
    );
}

#[tokio::test]
async fn parameters_of_plugins_are_let_through_and_then_settled() {
    let mut site = FakeWordPress::plain();
    let mut index: Value = serde_json::from_str(INDEX).expect("the fixture is JSON");
    for route in index["routes"].as_object_mut().expect("routes").values_mut() {
        for endpoint in route["endpoints"].as_array_mut().expect("endpoints") {
            let added = json!({"type": "string", "required": false});
            if !endpoint["args"].is_object() {
                endpoint["args"] = json!({});
            }
            endpoint["args"]["wpml_language"] = added;
        }
    }
    site.index = index.to_string();
    let origin = site.start().await;
    let directory = Directory::new("init-parameters");
    let (lines, _) = accepted(&origin.base(), &directory.path().join("edge.toml")).await;
    assert!(
        lines.contains(&"extra_parameters = [\"wpml_language\"]".to_owned()),
        "{lines:?}"
    );
}

#[tokio::test]
async fn standard_output_has_the_file_alone_and_the_check_says_what_differs() {
    let mut site = FakeWordPress::plain();
    let mut index: Value = serde_json::from_str(INDEX).expect("the fixture is JSON");
    index["routes"]["/tribe/events/v1/tickets"] = json!({});
    site.index = index.to_string();
    let origin = site.start().await;
    let ran = run(&["init", "--site", &origin.base(), "--output", "-"]).await;
    assert_eq!(ran.status, Some(0), "{}", ran.errors);
    assert!(
        ran.out.starts_with("# calendar-edge in front of Town hall.\n"),
        "{}",
        ran.out
    );
    let directory = Directory::new("init-checked");
    let file = directory.write("edge.toml", &ran.out);
    let checked = run(&["check", "--config", file.to_str().expect("a path of text")]).await;
    assert!(
        checked.out.contains("the origin publishes /tickets"),
        "{}",
        checked.out
    );
}

#[tokio::test]
async fn redirects_within_the_site_are_followed_and_shown() {
    let site = FakeWordPress::plain();
    let origin = Origin::answering_with(move |seen, base| match seen.target.as_str() {
        "/" => Reply::of_type(302, "text/html", "").header("location", "/en/"),
        "/en/" => site.answer("/", base),
        target => site.answer(target, base),
    });
    let origin = origin.await;
    let directory = Directory::new("init-redirects");
    let (_, ran) = accepted(&origin.base(), &directory.path().join("edge.toml")).await;
    let shown = format!("note: {base}/ redirects to {base}/en/", base = origin.base());
    assert!(ran.out.contains(&shown), "{}", ran.out);
}

/// Demands that `init` writes nothing for a site, and prints the reason.
async fn refused(origin: &Origin, part: &str) {
    let directory = Directory::new("init-unusable");
    let file = directory.path().join("edge.toml");
    let site = origin.base();
    let output = file.to_str().expect("a path of text");
    let ran = run(&["init", "--site", &site, "--output", output]).await;
    assert_eq!(ran.status, Some(2), "{part}: {}{}", ran.out, ran.errors);
    assert!(ran.out.contains(part), "{part} is not in {}", ran.out);
    assert!(!file.exists(), "{part}");
}

fn html(text: &str) -> Reply {
    Reply::of_type(200, "text/html", text)
}

#[tokio::test]
async fn a_site_without_the_calendar_is_told_with_the_next_step() {
    let mut without = FakeWordPress::plain();
    without.root["namespaces"] = json!(["wp/v2", "oembed/1.0"]);
    let listed = "without a calendar: it lists wp/v2, oembed/1.0. Activate The Events Calendar";
    refused(&without.start().await, listed).await;
    let mut several = FakeWordPress::plain();
    several.root["namespaces"] = json!(["a/events/v1", "b/events/v1"]);
    let names = "a/events/v1, b/events/v1: name one with --origin-namespace";
    refused(&several.start().await, names).await;
    let mut broken = FakeWordPress::plain();
    broken.index = "<p>error</p>".to_owned();
    refused(
        &broken.start().await,
        "the index of the calendar's namespace cannot be read",
    )
    .await;
}

#[tokio::test]
async fn a_rest_api_that_cannot_be_used_is_told_with_the_next_step() {
    let named = |href: &str| html("").header("link", &format!("<{href}>; rel=\"https://api.w.org/\""));
    let closed = Origin::answering(move |seen| match seen.target.as_str() {
        "/wp-json/" => Reply::json(401, r#"{"code":"rest_login_required","message":"No."}"#),
        _ => named("/wp-json/"),
    });
    refused(
        &closed.await,
        "refuses visitors (status 401, rest_login_required)",
    )
    .await;
    let plain = Origin::answering(|seen| match seen.target.as_str() {
        "/?rest_route=/" => Reply::json(200, r#"{"namespaces":["tribe/events/v1"]}"#),
        "/" => html("<link rel='https://api.w.org/' href='/index.php?rest_route=/'>"),
        _ => Reply::of_type(404, "text/html", "nothing"),
    });
    refused(
        &plain.await,
        "choose another structure than Plain in Settings > Permalinks",
    )
    .await;
    let switched_off = Origin::answering(|seen| match seen.target.as_str() {
        "/" => html("<link rel=stylesheet href='https://x.example/wp-content/themes/a.css'>"),
        _ => Reply::of_type(404, "text/html", "nothing"),
    });
    refused(
        &switched_off.await,
        "is a WordPress site, but its REST API does not respond",
    )
    .await;
    let headless = Origin::answering(move |seen| match seen.target.as_str() {
        "/" => named("https://cms.example.org/a/wp-json/"),
        _ => Reply::of_type(404, "text/html", "nothing"),
    });
    refused(&headless.await, "run this with --site https://cms.example.org/a/").await;
}

#[tokio::test]
async fn an_address_without_a_site_is_told_with_the_nearest_cause() {
    let moved = |location: &'static str| {
        Origin::answering(move |seen| {
            let location = location.replace("{target}", &seen.target);
            Reply::of_type(301, "text/html", "").header("location", &location)
        })
    };
    for (origin, part) in [
        (
            Origin::always(html("<p>hello</p>")).await,
            "is not a WordPress site",
        ),
        (
            Origin::always(Reply::json(200, "[]")).await,
            "is not a WordPress site",
        ),
        (
            moved("https://www.example.org/start/?x=1").await,
            "run this with --site https://www.example.org/start/",
        ),
        (moved("{target}x/").await, "redirects in a circle"),
        (Origin::down(), "cannot be reached"),
        (
            Origin::sending(b"hello\r\n\r\n").await,
            "the response cannot be read",
        ),
    ] {
        refused(&origin, part).await;
    }
}

#[tokio::test]
async fn a_file_is_replaced_only_by_force() {
    let origin = FakeWordPress::plain().start().await;
    let directory = Directory::new("init-force");
    let file = directory.write("edge.toml", "mine");
    let arguments = [
        "init",
        "--site",
        &origin.base(),
        "--output",
        file.to_str().expect("text"),
    ];
    let kept = run(&arguments).await;
    assert_eq!(kept.status, Some(1), "{}{}", kept.out, kept.errors);
    assert!(
        kept.errors.contains("give --force to replace it"),
        "{}",
        kept.errors
    );
    assert!(origin.seen().is_empty(), "the site is not asked for nothing");
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), "mine");
    let forced = run(&[&arguments[..], &["--force"]].concat()).await;
    assert_eq!(forced.status, Some(0), "{}{}", forced.out, forced.errors);
    assert!(
        std::fs::read_to_string(&file)
            .expect("a file")
            .contains("[origin]")
    );
}

#[tokio::test]
async fn flags_name_the_public_address_and_one_of_several_namespaces() {
    let mut site = FakeWordPress::plain();
    site.root["namespaces"] = json!(["a/events/v1", "b/events/v1"]);
    let origin = site.start().await;
    let public = ["--public-url", "https://events.example.org"];
    let namespace = ["--origin-namespace", "tribe/events/v1"];
    let site = origin.base();
    let init = ["init", "--site", &site, "--output", "-"];
    let ran = run(&[&init[..], &public, &namespace].concat()).await;
    assert_eq!(ran.status, Some(0), "{}", ran.errors);
    assert!(
        ran.out
            .contains("\npublic_url = \"https://events.example.org\"\n"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("\nnamespace = \"tribe/events/v1\"\n"),
        "{}",
        ran.out
    );
}

#[tokio::test]
async fn what_init_wrote_is_served() {
    let mut site = FakeWordPress::plain();
    site.folder = "/blog";
    let origin = site.start().await;
    let directory = Directory::new("init-served");
    let file = directory.path().join("edge.toml");
    accepted(&format!("{}/blog/", origin.base()), &file).await;
    let checked = run(&["check", "--config", file.to_str().expect("a path of text")]).await;
    assert!(
        checked
            .out
            .contains("ok: /blog/wp-json: the index agrees with the table"),
        "{}",
        checked.out
    );

    let text = std::fs::read_to_string(&file).expect("the file is there");
    let text = text.replace("# listen = \"127.0.0.1:8787\"", "listen = \"127.0.0.1:0\"");
    std::fs::write(&file, text.replace("127.0.0.1:9787", "127.0.0.1:0")).expect("a writable file");
    let mut program = Program::serve(&file).await;
    let events = program.url("/blog/wp-json/tribe/events/v1/events");
    let answer = Edge::client().get(&events).send().await.expect("an answer");
    assert_eq!(answer.status().as_u16(), 200);
    let seen = origin.seen();
    let is_call = |target: &str| target.starts_with("/blog/wp-json/tribe/events/v1/events");
    assert!(seen.iter().any(|seen| is_call(&seen.target)), "{seen:?}");
    program.signal("TERM");
    assert_eq!(program.ended().await.code(), Some(0));
}

#[tokio::test]
async fn init_needs_the_address_of_a_site() {
    for arguments in [
        &["init"][..],
        &["init", "--site", "ftp://x"],
        &["init", "--site", "https://a:b@c.example"],
    ] {
        let ran = run(arguments).await;
        assert_eq!(ran.status, Some(64), "{arguments:?}: {}", ran.errors);
        assert!(ran.errors.contains("--site"), "{}", ran.errors);
    }
}
