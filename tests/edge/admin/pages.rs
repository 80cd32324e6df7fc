//! The pages for people: one document each, which may run its own script and send requests to its own edge.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::Method;
use ring::digest::{SHA256, digest};

use crate::support::{Answer, Edge, Origin, Reply};

const PAGES: [&str; 1] = ["/"];

/// The most bytes of a page.
const LARGEST: usize = 58 * 1024;

async fn edge() -> Edge {
    Edge::before(&Origin::always(Reply::json(200, "{}")).await).await
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = text
        .split_once(start)
        .unwrap_or_else(|| panic!("{start} is missing"));
    rest.split_once(end).expect("an end").0
}

fn hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(digest(&SHA256, text.as_bytes())))
}

#[tokio::test]
async fn a_page_may_run_its_own_script_and_nothing_else() {
    let edge = edge().await;
    for path in PAGES {
        let page = edge.admin(path).await;
        assert_eq!(page.status, 200, "{path}");
        assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
        for (name, value) in [
            ("cache-control", "no-store"),
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(page.header(name), Some(value), "{path}");
        }
        let style = hash(between(&page.body, "<style>", "</style>"));
        let script = hash(between(&page.body, "<script type=\"module\">", "</script>"));
        assert_eq!(
            page.header("content-security-policy").expect("a policy"),
            format!(
                "default-src 'none'; style-src {style}; script-src {script}; connect-src 'self'; img-src data:; \
                 base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
                 require-trusted-types-for 'script'; trusted-types 'none'"
            ),
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_page_is_one_small_document_that_names_no_other_host() {
    let edge = edge().await;
    for path in PAGES {
        let page = edge.admin(path).await.body;
        assert!(page.len() <= LARGEST, "{path} has {} bytes", page.len());
        assert_eq!(
            (page.matches("<script").count(), page.matches("<style").count()),
            (1, 1)
        );
        let allowed = ["http://www.w3.org/2000/svg"];
        let addresses = page
            .match_indices("//")
            .filter(|(at, _)| page[..*at].ends_with(':'));
        for (at, _) in addresses {
            let start = page[..at]
                .rfind(['"', '\'', ' ', '(', '`'])
                .map_or(0, |start| start + 1);
            let url = page[start..].split(['"', '\'', ' ', ')', '`']).next();
            assert!(allowed.contains(&url.unwrap_or_default()), "{path}: {url:?}");
        }
        for word in [
            "@import",
            "url(",
            " src=",
            "innerHTML",
            "outerHTML",
            "insertAdjacent",
            "eval(",
        ] {
            assert!(!page.contains(word), "{path}: {word}");
        }
        // Handlers and styles in attributes, which the policy would block.
        let body = between(&page, "<body>", "<script");
        let is_inline =
            |word: &str| word.starts_with("style=") || word.starts_with("on") && word.contains('=');
        assert!(!body.split_whitespace().any(is_inline), "{path}");
    }
}

#[tokio::test]
async fn a_page_holds_no_secret_and_is_served_to_all_who_reach_the_listener() {
    let edge = edge().await;
    for path in PAGES {
        let foreign = Edge::client()
            .get(edge.admin_base() + path)
            .header("host", "edge.example");
        assert_eq!(Answer::to(foreign).await.status, 200, "{path}");
        let head = Edge::client().head(edge.admin_base() + path);
        let head = Answer::to(head).await;
        assert_eq!((head.status.as_u16(), head.body.len()), (200, 0));
        let post = Edge::client().request(Method::POST, edge.admin_base() + path);
        assert_eq!(Answer::to(post).await.status, 404, "{path}");
        // Clients of the site never see it.
        assert_ne!(
            edge.get(path).await.header("content-type"),
            Some("text/html; charset=utf-8")
        );
    }
}

#[tokio::test]
async fn the_list_of_refusals_says_why_report_mode_refuses() {
    use calendar_edge_core::settings::Mode;

    let origin = Origin::always(Reply::json(200, "{}")).await;
    let builder = Edge::builder().origin(&origin);
    let edge = builder
        .settings(|settings| settings.mode = Mode::Report)
        .start()
        .await;
    assert_eq!(
        edge.get("/wp-json/calendar/events/v1/events/7?id=8").await.status,
        400
    );
    let reason = super::until("a kept refusal", async || {
        let list = edge.admin("/refusals").await.json();
        let reason = &list["refusals"][0]["refused_in_every_mode_because"];
        reason.as_str().map(ToOwned::to_owned)
    });
    assert_eq!(
        reason.await,
        "WordPress would take the parameter instead of the one in the path"
    );
}
