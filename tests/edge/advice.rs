//! The lines of `check` about sites with each kind of trouble, and its advice, which settles it.

use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::support::{Directory, Origin, Reply};

const INDEX: &str = include_str!("../../fixtures/contract/index.json");
const OLD_INDEX: &str = include_str!("../../fixtures/versions/index-5.12.4.json");

/// The report of one run.
pub(crate) struct Checked {
    pub(crate) text: String,
    pub(crate) status: Option<i32>,
}

/// Checks a configuration: lines before the first section, lines of `[origin]`, and what follows.
pub(crate) async fn check(origin: &Origin, top: &str, of_origin: &str, rest: &str) -> Checked {
    static RUNS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let run = RUNS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let directory = Directory::new(&format!("advice-{run}"));
    let url = if of_origin.contains("url =") {
        String::new()
    } else {
        format!("url = \"{}/wp-json\"", origin.base())
    };
    let text = format!("{top}\n[origin]\n{url}\nnamespace = \"tribe/events/v1\"\n{of_origin}\n{rest}\n");
    let config = directory.write("edge.toml", &text);
    let run = move || -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
        command.args(["check", "--config"]).arg(config);
        command.stdin(Stdio::null()).output().expect("the program starts")
    };
    let output = tokio::task::spawn_blocking(run).await.expect("no panic");
    drop(directory);
    let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
    Checked {
        text: String::from_utf8_lossy(&output.stdout).into_owned() + &complaints,
        status: output.status.code(),
    }
}

// === impl Checked ===

impl Checked {
    pub(crate) fn says(&self, part: &str) -> bool {
        self.text.contains(part)
    }

    /// The lines to paste below the first line that contains `part`.
    fn pasted(&self, part: &str) -> String {
        let mut lines = self.text.lines().skip_while(|line| !line.contains(part)).skip(1);
        let lines: Vec<&str> = lines
            .by_ref()
            .map_while(|line| line.strip_prefix("    "))
            .collect();
        lines.join("\n")
    }

    fn count(&self, kind: &str) -> usize {
        self.text.lines().filter(|line| line.starts_with(kind)).count()
    }
}

/// A site with this index and this home page; everything else is not found.
async fn site(index: String, home: Reply) -> Origin {
    site_of("6.17.2", index, home).await
}

/// The same with a version of the plugin.
pub(crate) async fn site_of(version: &'static str, index: String, home: Reply) -> Origin {
    Origin::answering(move |seen| {
        let path = seen.target.split('?').next().unwrap_or_default();
        match path {
            "/" => home.clone(),
            "/wp-json/tribe/events/v1" | "/de/wp-json/tribe/events/v1" => Reply::json(200, &index),
            "/wp-json/tribe/events/v1/events/0" => Reply::json(
                404,
                r#"{"code":"rest-event-not-found","message":"No event.","data":{"status":404}}"#,
            ),
            "/wp-content/plugins/the-events-calendar/readme.txt" => Reply::of_type(
                200,
                "text/plain",
                &format!("=== The Events Calendar ===\nStable tag: {version}\n"),
            ),
            _ => Reply::of_type(404, "text/html", "nothing"),
        }
    })
    .await
}

fn page(body: &str) -> Reply {
    Reply::of_type(200, "text/html", body)
}

/// The recorded index with one more argument on every endpoint of these methods.
fn index_with(argument: &str, methods: &[&str]) -> String {
    let mut index: Value = serde_json::from_str(INDEX).expect("the fixture is JSON");
    for route in index["routes"].as_object_mut().expect("routes").values_mut() {
        for endpoint in route["endpoints"].as_array_mut().expect("endpoints") {
            let is_meant = methods.iter().any(|method| {
                endpoint["methods"]
                    .as_array()
                    .expect("methods")
                    .contains(&json!(method))
            });
            if is_meant && endpoint["args"].is_object() {
                endpoint["args"][argument] = json!({"type": "string", "required": false});
            } else if is_meant {
                endpoint["args"] = json!({argument: {"type": "string", "required": false}});
            }
        }
    }
    index.to_string()
}

#[tokio::test]
async fn an_argument_of_the_site_is_one_line_whose_advice_settles_it() {
    let index = index_with("wpml_language", &["GET", "POST", "PUT", "PATCH", "DELETE"]);
    let origin = site(index, page("")).await;
    let found = check(&origin, "", "", "").await;
    assert!(
        found.says("`wpml_language` (all 36 operations)"),
        "{}",
        found.text
    );
    assert!(found.says("the edge forwards it unjudged"), "{}", found.text);
    assert_eq!(
        (found.count("differs:"), found.status),
        (1, Some(1)),
        "{}",
        found.text
    );

    let lines = found.pasted("`wpml_language`");
    let settled = check(&origin, &lines, "", "").await;
    assert_eq!(
        (settled.count("differs:"), settled.status),
        (0, Some(0)),
        "{lines}: {}",
        settled.text
    );

    for (settings, fate) in [
        ("profile = \"strict\"", "the strict profile refuses calls with it"),
        (
            "profile = \"strict\"\nundeclared = \"drop\"",
            "the strict profile drops it",
        ),
        (
            "profile = \"strict\"\nundeclared = \"forward\"",
            "the edge forwards it unjudged",
        ),
    ] {
        let strict = check(&origin, settings, "", "").await;
        assert!(strict.says(fate), "{settings}: {}", strict.text);
    }
}

#[tokio::test]
async fn what_an_older_plugin_lacks_is_a_note() {
    let origin = site(OLD_INDEX.to_owned(), page("")).await;
    let found = check(&origin, "", "", "").await;
    let password = "does not publish `password` (events.read, events.delete, events.update)";
    assert!(found.says(password), "{}", found.text);
    assert!(
        found.says("does not publish `ticketed` (events.list): the edge does not judge it, and forwards it")
    );
    assert_eq!(
        (found.count("differs:"), found.status),
        (0, Some(0)),
        "{}",
        found.text
    );
}

#[tokio::test]
async fn versions_are_shown() {
    let origin = site(INDEX.to_owned(), page("")).await;
    let found = check(&origin, "", "", "").await;
    let versions = "The Events Calendar 6.17.2 (6.17.2 or later)";
    assert!(found.says(versions), "{}", found.text);
    assert!(
        found.says("ok: /wp-json: the index agrees with the table"),
        "{}",
        found.text
    );
    assert_eq!(found.status, Some(0));
}

#[tokio::test]
async fn a_language_with_a_root_of_its_own_is_named_with_the_lines_to_paste() {
    let head = "<link rel=\"alternate\" hreflang=\"en\" href=\"/\"><link rel=\"alternate\" hreflang=\"de\" href=\"/de/\" />\
                <link rel='alternate' hreflang='x-default' href='/'><link rel=alternate hreflang=it href=/it/>";
    let home = page(head).header(
        "link",
        "<https://exemple.fr/>; rel=\"alternate\"; hreflang=\"fr\", </es/wp-json/>; rel=\"https://api.w.org/\"",
    );
    let origin = site(INDEX.to_owned(), home).await;
    let found = check(&origin, "", "", "").await;
    let german = format!(
        "the language `de` with the REST root {}/de/wp-json",
        origin.base()
    );
    assert!(found.says(&german), "{}", found.text);
    assert!(found.says("a further root with the REST root"), "{}", found.text);
    assert!(found.says("/es/wp-json"), "{}", found.text);
    assert!(
        found.says("note: the site advertises the language `it`, and has no REST root"),
        "{}",
        found.text
    );
    assert!(
        found.says("note: the site advertises the language `fr` on another host"),
        "{}",
        found.text
    );
    assert!(!found.says("`en`") && !found.says("x-default"), "{}", found.text);
    assert_eq!(
        (found.count("differs:"), found.status),
        (2, Some(1)),
        "{}",
        found.text
    );

    let lines = found.pasted("the language `de`");
    assert!(
        lines.contains("path = \"/wp-json\"") && lines.contains("language = \"de\""),
        "{lines}"
    );
    let settled = check(&origin, "", "", &lines).await;
    assert!(!settled.says("the language `de`"), "{}", settled.text);
    assert!(
        settled.says("ok: /de/wp-json: the index agrees with the table"),
        "{}",
        settled.text
    );
}

#[tokio::test]
async fn pages_that_name_the_site_itself_lead_past_the_edge() {
    let origin = Origin::answering_with(|seen, base| {
        if seen.target.starts_with("/wp-json/tribe/events/v1") {
            return Reply::json(200, INDEX);
        }
        page(&format!(
            "<a href=\"{base}/a/\">x</a><img src='{base}/b.png'><a href=\"/c/\">y</a>"
        ))
    })
    .await;
    let top = "public_url = \"https://events.example.org\"\n";
    let authority = origin.base().replace("http://", "");
    let past =
        format!("differs: the home page names {authority} in 2 addresses, which lead clients past the edge");
    let found = check(&origin, &format!("{top}other = \"forward\""), "", "").await;
    assert!(found.says(&past), "{}", found.text);
    let apart = check(&origin, top, "", "").await;
    assert!(
        !apart.says("past the edge"),
        "the edge serves no pages: {}",
        apart.text
    );
}

#[tokio::test]
async fn a_rest_root_that_redirects_to_the_public_address_is_a_loop() {
    let origin = Origin::answering(|seen| {
        let location = format!("https://events.example.org{}", seen.target);
        Reply::of_type(301, "text/html", "").header("location", &location)
    })
    .await;
    let top = "public_url = \"https://events.example.org\"";
    let found = check(&origin, top, "", "").await;
    assert!(found.says("this leads back to the edge"), "{}", found.text);
    assert!(
        found.says("set `origin.host` to \"events.example.org\""),
        "{}",
        found.text
    );
    let address = origin.base().replace("http://", "");
    let dialled = format!("url = \"http://events.example.org/wp-json\"\nconnect = \"{address}\"");
    let found = check(&origin, top, &dialled, "").await;
    assert!(
        found.says("let WordPress take the scheme from X-Forwarded-Proto"),
        "{}",
        found.text
    );
    assert_eq!(found.status, Some(2));
}

#[tokio::test]
async fn addresses_that_clients_cannot_follow_are_a_warning() {
    let origin = site(INDEX.to_owned(), page("")).await;
    for (top, is_warned) in [
        ("listen = \"0.0.0.0:8787\"", true),
        (
            "listen = \"0.0.0.0:8787\"\npublic_url = \"http://localhost:8787\"",
            true,
        ),
        (
            "listen = \"0.0.0.0:8787\"\npublic_url = \"https://events.example.org\"",
            false,
        ),
        ("", false),
    ] {
        let found = check(&origin, top, "", "").await;
        assert_eq!(
            found.says("warning: `public_url` is"),
            is_warned,
            "{top}: {}",
            found.text
        );
        assert_eq!(found.status, Some(0), "{top}: {}", found.text);
    }
}

#[tokio::test]
async fn rules_that_requests_get_around_are_a_loud_warning() {
    let origin = site(INDEX.to_owned(), page("")).await;
    for (line, key) in [
        ("read_only = true", "read_only"),
        ("writers = [\"editor\"]", "writers"),
        ("write_addresses = [\"10.0.0.0/8\"]", "write_addresses"),
    ] {
        let found = check(&origin, &format!("other = \"forward\"\n{line}"), "", "").await;
        let loud = format!("WARNING: `{key}` does not protect the site");
        assert!(found.says(&loud), "{}", found.text);
        assert_eq!(found.status, Some(1), "{}", found.text);
        let apart = check(&origin, line, "", "").await;
        assert_eq!(
            (apart.says("WARNING"), apart.status),
            (false, Some(0)),
            "{}",
            apart.text
        );
    }
}

#[tokio::test]
async fn the_namespace_of_the_site_needs_no_setting() {
    let origin = Origin::answering(|seen| match seen.target.as_str() {
        "/wp-json/?_fields=namespaces" => Reply::json(200, r#"{"namespaces":["wp/v2","tribe/events/v1"]}"#),
        "/wp-json/tribe/events/v1" => Reply::json(200, INDEX),
        _ => Reply::of_type(404, "text/html", "nothing"),
    })
    .await;
    let url = format!("{}/wp-json", origin.base());
    let mut command = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
    command.args(["check", "--origin", &url]).stdin(Stdio::null());
    let output = tokio::task::spawn_blocking(move || command.output().expect("the program starts"));
    let output = output.await.expect("no panic");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.contains("ok: the site lists the namespace tribe/events/v1"),
        "{text}"
    );
    assert!(
        text.contains("ok: /wp-json: the index agrees with the table"),
        "{text}"
    );
    assert_eq!(output.status.code(), Some(0), "{text}");
}
