//! Sites with limited access, or with another name of their own: `init` and `check` name the obstacle, and the settings
//! that they name open the site.

use std::path::Path;
use std::time::{Duration, Instant};

use http::Method;

use crate::first_minutes::{FakeWordPress, Ran, run};
use crate::support::{Answer, Directory, EVENTS, Edge, Origin, Program, Reply};

const PUBLIC: &str = "https://events.example.org";

/// `staging:s3cret` as Basic credentials.
const STAGING: &str = "Basic c3RhZ2luZzpzM2NyZXQ=";

fn path(file: &Path) -> &str {
    file.to_str().expect("a path of text")
}

/// Runs `init` for a site with further flags.
async fn init(site: &str, file: &Path, flags: &[&str]) -> Ran {
    let arguments = ["init", "--site", site, "--output", path(file)];
    run(&[&arguments[..], flags].concat()).await
}

/// An ordinary WordPress at an address of its own: pages under another host than its own lead somewhere else, or the
/// web server does not know them.
async fn known_by_name(elsewhere: Option<&'static str>) -> Origin {
    let site = FakeWordPress::plain();
    Origin::answering(move |seen| {
        let is_named = seen.header("host") == Some("events.example.org");
        if is_named && seen.header("x-forwarded-proto") == Some("https") {
            return site.answer(&seen.target, PUBLIC);
        }
        match elsewhere {
            Some(base) => {
                let location = format!("{base}{}", seen.target);
                Reply::of_type(301, "text/html", "").header("location", &location)
            }
            None => Reply::of_type(404, "text/html", "<h1>Welcome to nginx!</h1>"),
        }
    })
    .await
}

/// WordPress keeps the host of a request, and drops a port that its own address does not have.
const WITHOUT_PORT: &str = "http://127.0.0.1";

#[tokio::test]
async fn a_server_that_knows_the_site_by_its_public_name_is_asked_under_it() {
    let directory = Directory::new("init-named");
    for elsewhere in [Some(PUBLIC), Some(WITHOUT_PORT), None] {
        let origin = known_by_name(elsewhere).await;
        let file = directory.path().join("edge.toml");
        let ran = init(&origin.base(), &file, &["--public-url", PUBLIC, "--force"]).await;
        assert_eq!(ran.status, Some(0), "{}{}", ran.out, ran.errors);
        let text = std::fs::read_to_string(&file).expect("the file is there");
        for line in [
            format!("public_url = \"{PUBLIC}\""),
            format!("url = \"{}/wp-json\"", origin.base()),
            "host = \"events.example.org\"".to_owned(),
        ] {
            assert!(
                text.lines().any(|found| found == line),
                "{line} is not in\n{text}"
            );
        }
        let checked = run(&["check", "--config", path(&file)]).await;
        assert_eq!(checked.status, Some(0), "{}", checked.out);
    }
    for (elsewhere, part) in [
        (PUBLIC, "add --public-url https://events.example.org"),
        (WITHOUT_PORT, "give the one that clients use with --public-url"),
    ] {
        let origin = known_by_name(Some(elsewhere)).await;
        let ran = init(&origin.base(), &directory.path().join("none.toml"), &[]).await;
        assert_eq!(ran.status, Some(2));
        assert!(ran.out.contains(part), "{part} is not in {}", ran.out);
    }
}

#[tokio::test]
async fn a_name_that_the_site_does_not_need_is_not_written() {
    let site = FakeWordPress::plain();
    let origin = Origin::answering_with(move |seen, base| site.answer(&seen.target, base)).await;
    let directory = Directory::new("init-own-name");
    let file = directory.path().join("edge.toml");
    let ran = init(&origin.base(), &file, &["--public-url", PUBLIC]).await;
    assert_eq!(ran.status, Some(0), "{}{}", ran.out, ran.errors);
    let text = std::fs::read_to_string(&file).expect("the file is there");
    assert!(text.contains(&format!("public_url = \"{PUBLIC}\"")), "{text}");
    assert!(!text.contains("\nhost = "), "{text}");
}

/// A staging site: the web server demands credentials of every client; WordPress may have them too.
async fn staging(is_account: bool) -> Origin {
    let site = FakeWordPress::plain();
    Origin::answering_with(move |seen, base| match seen.header("authorization") {
        None => Reply::of_type(401, "text/html", "<h1>401</h1>")
            .header("www-authenticate", "Basic realm=\"Staging\""),
        Some(STAGING) if is_account && seen.target == "/wp-json/wp/v2/users/me" => {
            Reply::json(200, r#"{"id":1,"name":"staging"}"#)
        }
        Some(_) => site.answer(&seen.target, base),
    })
    .await
}

#[tokio::test]
async fn a_staging_site_opens_to_credentials_from_a_file() {
    let origin = staging(false).await;
    let directory = Directory::new("init-staging");
    let file = directory.path().join("edge.toml");
    let closed = init(&origin.base(), &file, &[]).await;
    assert_eq!(closed.status, Some(2), "{}", closed.out);
    let reason = "the web server requires Basic credentials (\"Staging\"), as before a staging site";
    assert!(closed.out.contains(reason), "{}", closed.out);

    let credentials = directory.write("basic-auth", "staging:s3cret\n");
    let flags = ["--basic-auth-file", path(&credentials)];
    let open = init(&origin.base(), &file, &flags).await;
    assert_eq!(open.status, Some(0), "{}{}", open.out, open.errors);
    let text = std::fs::read_to_string(&file).expect("the file is there");
    let line = format!("basic_auth_file = \"{}\"", credentials.display());
    assert!(text.contains(&line) && !text.contains("s3cret"), "{text}");
    assert!(!open.out.contains("s3cret") && !open.errors.contains("s3cret"));

    origin.take_seen();
    let text = text.replace(
        "[admin]\nlisten = \"127.0.0.1:9787\"",
        "[admin]\nlisten = \"127.0.0.1:0\"",
    );
    let config = directory.write("serve.toml", &format!("listen = \"127.0.0.1:0\"\n{text}"));
    let program = Program::serve(&config).await;
    let ask = |own: Option<&'static str>| {
        let request = Edge::client().request(Method::GET, program.url(EVENTS));
        match own {
            Some(own) => request.header("authorization", own),
            None => request,
        }
    };
    assert_eq!(Answer::to(ask(None)).await.status, 200);
    let own = "Basic YWxpY2U6eA==";
    assert_eq!(Answer::to(ask(Some(own))).await.status, 200);
    let seen = origin.seen();
    let calls = seen.iter().filter(|seen| seen.target.contains("/events"));
    let shown: Vec<_> = calls.map(|seen| seen.header("authorization")).collect();
    assert!(
        shown.contains(&Some(STAGING)) && shown.contains(&Some(own)),
        "{shown:?}"
    );
    // The edge's own requests show them as well.
    assert!(
        seen.iter().all(|seen| seen.header("authorization").is_some()),
        "{seen:?}"
    );
}

#[tokio::test]
async fn a_site_that_the_companion_plugin_guards_opens_to_its_secret() {
    let site = FakeWordPress::plain();
    let origin = Origin::answering_with(move |seen, base| {
        let is_of_calendar = seen.target.contains("/events/v1");
        match seen.header("x-calendar-edge-mark") {
            None if is_of_calendar => Reply::json(
                403,
                r#"{"code":"calendar_edge_mark_missing","message":"m","data":{"status":403}}"#,
            ),
            _ => site.answer(&seen.target, base),
        }
    })
    .await;
    let directory = Directory::new("init-guarded");
    let file = directory.path().join("edge.toml");
    let closed = init(&origin.base(), &file, &[]).await;
    assert_eq!(closed.status, Some(2), "{}", closed.out);
    assert!(closed.out.contains("init --secret-file FILE"), "{}", closed.out);

    let secret = directory.write("secret", "0123456789abcdef0123456789abcdef");
    let open = init(&origin.base(), &file, &["--secret-file", path(&secret)]).await;
    assert_eq!(open.status, Some(0), "{}{}", open.out, open.errors);
    let text = std::fs::read_to_string(&file).expect("the file is there");
    let line = format!("secret_file = \"{}\"", secret.display());
    assert!(
        text.contains(&line) && !text.contains("0123456789abcdef"),
        "{text}"
    );
}

#[tokio::test]
async fn credentials_that_wordpress_takes_for_an_account_are_found_by_the_check() {
    let origin = staging(true).await;
    let directory = Directory::new("staging-account");
    let credentials = directory.write("basic-auth", "staging:s3cret\n");
    let config = directory.write(
        "edge.toml",
        &format!(
            "[origin]\nurl = \"{}/wp-json\"\nbasic_auth_file = \"{}\"\n",
            origin.base(),
            credentials.display()
        ),
    );
    let checked = run(&["check", "--config", path(&config)]).await;
    assert_eq!(checked.status, Some(2), "{}", checked.out);
    assert!(
        checked.out.contains("every visitor would be that account"),
        "{}",
        checked.out
    );
    directory.write("basic-auth", "no credentials s3cret");
    let broken = run(&["check", "--config", path(&config)]).await;
    assert_eq!(broken.status, Some(78));
    assert!(
        broken
            .errors
            .contains("`origin.basic_auth_file`: the file holds no credentials"),
        "{}",
        broken.errors
    );
    assert!(!broken.errors.contains("s3cret"), "{}", broken.errors);
}

#[tokio::test]
async fn credentials_that_reach_wordpress_and_are_refused_there_are_told() {
    let no = r#"{"code":"invalid_username","message":"Unknown username.","data":{"status":401}}"#;
    let site = FakeWordPress::plain();
    let origin = Origin::answering_with(move |seen, base| match seen.header("authorization") {
        Some(_) if seen.target.starts_with("/wp-json") => Reply::json(401, no),
        Some(_) => site.answer(&seen.target, base),
        None => Reply::of_type(401, "text/html", "").header("www-authenticate", "Basic realm=\"staging\""),
    })
    .await;
    let directory = Directory::new("staging-refused");
    let credentials = directory.write("basic-auth", "staging:s3cret\n");
    let flags = ["--basic-auth-file", path(&credentials)];
    let ran = init(&origin.base(), &directory.path().join("edge.toml"), &flags).await;
    let (root, file) = (format!("{}/wp-json", origin.base()), path(&credentials));
    let config = format!(
        "[origin]\nurl = \"{root}\"\nnamespace = \"tribe/events/v1\"\nbasic_auth_file = \"{file}\"\n"
    );
    let checked = run(&[
        "check",
        "--config",
        path(&directory.write("checked.toml", &config)),
    ])
    .await;
    for said in [ran.out, checked.out] {
        assert!(
            said.contains("`origin.basic_auth_file` reach WordPress, which refuses them"),
            "{said}"
        );
        assert!(
            !said.contains("open to anonymous reads") && !said.contains("a plugin or a rule"),
            "{said}"
        );
    }
}

#[tokio::test]
async fn a_secret_that_is_set_is_not_asked_for() {
    let origin = FakeWordPress::plain();
    let origin = Origin::answering_with(move |seen, base| origin.answer(&seen.target, base)).await;
    let directory = Directory::new("unguarded");
    let secret = directory.write("secret", "a secret of thirty-two characters");
    let config = format!(
        "other = \"forward\"\n[origin]\nurl = \"{}/wp-json\"\nnamespace = \"tribe/events/v1\"\nsecret_file = \"{}\"\n",
        origin.base(),
        secret.display()
    );
    let checked = run(&["check", "--config", path(&directory.write("edge.toml", &config))]).await;
    assert!(
        checked.out.contains("with the secret of `origin.secret_file`"),
        "{}",
        checked.out
    );
    assert!(
        !checked.out.contains("set `origin.secret_file`"),
        "{}",
        checked.out
    );
}

#[tokio::test]
async fn a_slow_site_is_asked_several_questions_at_once() {
    let main = FakeWordPress::plain();
    let origin = Origin::answering_with(move |seen, base| {
        let reply = match seen.target.as_str() {
            "/" => {
                let languages: Vec<String> = (0..16)
                    .map(|number| format!("<link hreflang=\"l{number}\" href=\"/{number}/\">"))
                    .collect();
                let links = languages.concat();
                let link = format!("<{base}/wp-json/>; rel=\"https://api.w.org/\"");
                Reply::of_type(200, "text/html", &links).header("link", &link)
            }
            target => main.answer(target, base),
        };
        reply.after(Duration::from_millis(500))
    })
    .await;
    let directory = Directory::new("check-slow");
    let file = directory.path().join("edge.toml");
    let ran = init(&origin.base(), &file, &[]).await;
    assert_eq!(ran.status, Some(0), "{}{}", ran.out, ran.errors);
    origin.take_seen();
    let begun = Instant::now();
    let ran = run(&["check", "--config", file.to_str().expect("a path of text")]).await;
    assert_eq!(ran.status, Some(0), "{}{}", ran.out, ran.errors);
    // One after another the languages alone are 16 s.
    assert!(origin.take_seen().len() > 16);
    assert!(begun.elapsed() < Duration::from_secs(12), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn credentials_do_not_reach_another_host() {
    let other = Origin::always(Reply::json(200, r#"{"events":[]}"#)).await;
    let own = Origin::always(Reply::json(200, r#"{"events":[]}"#)).await;
    let directory = Directory::new("staging-other");
    let credentials = directory.write("basic-auth", "staging:s3cret\n");
    let config = directory.write(
        "edge.toml",
        &format!(
            "listen = \"127.0.0.1:0\"\n[origin]\nurl = \"{}/wp-json\"\nread_index = false\nbasic_auth_file = \"{}\"\n\
             [[roots]]\npath = \"/wp-json\"\n[[roots]]\npath = \"/de/wp-json\"\norigin_url = \"{}/wp-json\"\n\
             [admin]\nlisten = \"127.0.0.1:0\"\n",
            own.base(),
            credentials.display(),
            other.base()
        ),
    );
    let program = Program::serve(&config).await;
    for target in [EVENTS.to_owned(), format!("/de{EVENTS}")] {
        let answer = Answer::to(Edge::client().get(program.url(&target))).await;
        assert_eq!(answer.status, 200, "{target}: {}", answer.body);
    }
    let shows = |origin: &Origin| {
        origin
            .seen()
            .iter()
            .any(|seen| seen.header("authorization").is_some())
    };
    assert!(shows(&own) && !shows(&other));
}

#[tokio::test]
async fn what_answers_before_wordpress_is_named() {
    let page = |status: u16, text: &str| Reply::of_type(status, "text/html", text);
    let directory = Directory::new("init-hindered");
    for (reply, part) in [
        (
            page(503, "<h1>Briefly unavailable for scheduled maintenance.</h1>").header("retry-after", "600"),
            "status 503: the site is in maintenance, or out of capacity, with `Retry-After: 600`",
        ),
        (
            Reply::json(
                503,
                r#"{"code":"wp_die","message":"Briefly unavailable.","data":{"status":503}}"#,
            ),
            "status 503: the site is in maintenance, or out of capacity",
        ),
        (
            page(502, "<h1>502 Bad Gateway</h1>"),
            "status 502: the web server gets no response from PHP",
        ),
        (
            page(504, ""),
            "status 504: the web server gets no response from PHP",
        ),
        (
            page(503, "<p>maintenance downtime or capacity</p>"),
            "status 503: PHP does not run",
        ),
        (
            page(404, "File not found.\n"),
            "PHP runs and does not find the script",
        ),
        (page(200, ""), "status 200 without a body: PHP ended"),
        (
            page(200, "<?php\nrequire 'wp-blog-header.php';"),
            "sends the text of PHP files",
        ),
        (
            page(500, "Error establishing a database connection"),
            "status 500: PHP or WordPress failed",
        ),
        (
            page(403, "Forbidden").header("server", "Apache"),
            "the web server (Apache) or a firewall before it refuses this machine",
        ),
    ] {
        let origin = Origin::always(reply).await;
        let ran = init(&origin.base(), &directory.path().join("edge.toml"), &[]).await;
        assert_eq!(ran.status, Some(2), "{part}: {}", ran.out);
        assert!(ran.out.contains(part), "{part} is not in {}", ran.out);
        let root = format!("{}/wp-json", origin.base());
        let checked = run(&["check", "--origin", &root]).await;
        assert!(checked.out.contains(part), "{part} is not in {}", checked.out);
    }
}

#[tokio::test]
async fn the_check_does_not_advise_what_is_set() {
    let to_rest = |href: &str| {
        let link = format!("<{href}>; rel=\"https://api.w.org/\"");
        Reply::json(200, r#"{"namespaces":["tribe/events/v1"]}"#).header("link", &link)
    };
    let nothing = || Reply::of_type(404, "text/html", "nothing");
    let plain = Origin::answering(move |seen| match seen.target.as_str() {
        "/?rest_route=/" => to_rest("/index.php?rest_route=/"),
        _ => nothing(),
    });
    let plain_and_home = Origin::answering(move |seen| match seen.target.as_str() {
        "/?rest_route=/" => to_rest("/index.php?rest_route=/"),
        _ => Reply::of_type(301, "text/html", "").header("location", "/"),
    });
    let unrewritten = Origin::answering(move |seen| match seen.target.as_str() {
        "/?rest_route=/" => to_rest("/wp-json/"),
        _ => nothing(),
    });
    let circling = Origin::answering_with(|seen, base| {
        let location = format!("{base}{}", seen.target);
        Reply::of_type(301, "text/html", "").header("location", &location)
    });
    for (origin, part) in [
        (
            plain.await,
            "choose another structure than Plain in Settings > Permalinks",
        ),
        (
            plain_and_home.await,
            "choose another structure than Plain in Settings > Permalinks",
        ),
        (unrewritten.await, "its web server does not pass it on"),
        (
            circling.await,
            "look for a plugin or a rule of the web server that redirects",
        ),
    ] {
        let root = format!("{}/wp-json", origin.base());
        let namespace = ["--origin-namespace", "tribe/events/v1"];
        let ran = run(&[&["check", "--origin", &root][..], &namespace].concat()).await;
        assert_eq!(ran.status, Some(2), "{}", ran.out);
        assert!(ran.out.contains(part), "{part} is not in {}", ran.out);
        assert!(!ran.out.contains("set `origin.url`"), "{}", ran.out);
        assert!(!ran.out.contains("must be the REST root"), "{}", ran.out);
    }
}
