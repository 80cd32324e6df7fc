//! Calendar pages over real sockets: those that the edge serves, and the findings that stop it.

use std::time::Duration;

use calendar_edge_core::settings::{Mode, OtherTraffic, Rate};
use http::Method;
use serde_json::json;

use crate::advice::check;
use crate::facts::{FactsScene, Fault, SiteState};
use crate::feed::feed_site::key;
use crate::support::{Answer, Directory, Edge, Gate, Origin, Reply};

const FAR: &str = "/events/month/2127-04/";
/// The address at which the edge requests it.
const CHECKED: &str = "/events/2127-04/";
const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");
const LOGIN: &str = "wordpress_logged_in_ab=u%7C1";

/// A site with five events on 1 August 2027, and an edge that serves pages.
async fn scene(change: impl FnOnce(&mut SiteState)) -> FactsScene {
    let scene = FactsScene::with(change, |settings| {
        settings.calendar_pages.mode = Mode::Enforce;
        settings.cache.reconcile = Duration::from_secs(4);
    })
    .await;
    scene.until_whole(true).await;
    // Rules are read for the first requested page.
    until_forwarded(&scene, "/events/month/2150-01/", false).await;
    scene
}

/// Returns true if the site responded.
async fn is_forwarded(scene: &FactsScene, target: &str) -> bool {
    scene.edge.get(target).await.body.contains("WordPress")
}

async fn count(scene: &FactsScene, outcome: &str) -> String {
    let series = format!("edge_calendar_pages_total{{outcome=\"{outcome}\"}}");
    scene.edge.metric(&series).await.unwrap_or_default()
}

/// Waits until the edge serves an address, or no longer.
async fn until_forwarded(scene: &FactsScene, target: &str, forwarded: bool) {
    for _ in 0..400 {
        if is_forwarded(scene, target).await == forwarded {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("{target} is not answered otherwise");
}

#[tokio::test]
async fn pages_that_can_have_no_events_never_reach_the_site() {
    let scene = scene(|_| {}).await;
    scene.origin.take_seen();
    let answer = scene.edge.get(FAR).await;
    assert_eq!(
        (answer.status.as_u16(), answer.header("cache-control")),
        (404, Some("public, max-age=60"))
    );
    assert_eq!(answer.header("content-type"), Some("text/html; charset=UTF-8"));
    assert_eq!(answer.header("x-robots-tag"), Some("noindex"));
    for part in [
        "<html lang=\"de-DE\">",
        "Keine Veranstaltungen",
        "<a href=\"/events/\">Kalender</a>",
    ] {
        assert!(answer.body.contains(part), "{}", answer.body);
    }
    let head = Answer::to(scene.edge.request(Method::HEAD, FAR)).await;
    assert_eq!((head.status.as_u16(), head.body.as_str()), (404, ""));
    let file = scene.edge.get("/events/2127-04-01/?ical=1").await;
    assert_eq!(
        (file.status.as_u16(), file.header("content-type")),
        (200, Some("text/calendar; charset=UTF-8"))
    );
    assert!(file.body.starts_with("BEGIN:VCALENDAR\r\n") && !file.body.contains("VEVENT"));

    for target in [
        "/events/",
        "/events/month/2027-08/",
        "/events/2027-08-01/",
        "/events/month/2127-04/?s=x",
    ] {
        assert!(is_forwarded(&scene, target).await, "{target}");
    }
    assert_eq!(count(&scene, "served").await, "4");
    assert_eq!(count(&scene, "may_have_events").await, "2");
    let status = scene.edge.admin("/status").await.json();
    assert_eq!(status["calendar_pages"]["hindrance"], json!(null));
    assert_eq!(status["calendar_pages"]["check"]["given"], json!(4));
}

#[tokio::test]
async fn explain_says_which_pages_can_have_no_events() {
    let scene = scene(|_| {}).await;
    for (target, becomes) in [(FAR, "not_found"), ("/events/month/2027-08/", "forwarded")] {
        let story = scene.edge.explain(target).await;
        assert_eq!(story["outcome"], "site", "{story}");
        assert_eq!(story["page"]["becomes"], becomes, "{story}");
    }
}

#[tokio::test]
async fn report_mode_counts_and_forwards() {
    let scene = FactsScene::with(|_| {}, |_| {}).await;
    scene.until_whole(true).await;
    assert!(is_forwarded(&scene, FAR).await);
    assert_eq!(count(&scene, "would_serve").await, "1");
    assert_eq!(count(&scene, "served").await, "0");
}

#[tokio::test]
async fn people_with_a_login_and_requests_with_a_body_reach_the_site() {
    let scene = scene(|_| {}).await;
    for request in [
        scene.edge.request(Method::GET, FAR).header("cookie", LOGIN),
        scene
            .edge
            .request(Method::GET, FAR)
            .header("cookie", "a=b; wp-postpass_ab=x"),
        scene
            .edge
            .request(Method::GET, FAR)
            .header("authorization", "Basic YTpi"),
        scene.edge.request(Method::POST, FAR),
        scene.edge.request(Method::GET, FAR).body("a=b"),
    ] {
        assert!(Answer::to(request).await.body.contains("WordPress"));
    }
    until_forwarded(&scene, FAR, false).await;
}

#[tokio::test]
async fn a_new_event_opens_its_month_with_its_message() {
    let scene = scene(|_| {}).await;
    assert!(!is_forwarded(&scene, FAR).await);
    scene.edit(34, "2127-04-10 10:00:00").await;
    assert!(is_forwarded(&scene, FAR).await, "its facts are asked for");
    scene.until_whole(true).await;
    assert!(is_forwarded(&scene, FAR).await);
    until_forwarded(&scene, "/events/month/2127-08/", false).await;
}

#[tokio::test]
async fn after_a_write_of_an_editor_the_site_answers_until_it_has_told_of_it() {
    let scene = scene(|_| {}).await;
    assert!(!is_forwarded(&scene, FAR).await);
    // PHP reports it when the editor has its response.
    scene.change(|site| {
        site.store(34, "2127-04-10 10:00:00");
        site.has_begun = true;
    });
    let save = scene
        .edge
        .request(Method::POST, "/wp-admin/post.php")
        .header("cookie", LOGIN);
    Answer::to(save.body("post=34")).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(is_forwarded(&scene, FAR).await);
    scene.change(|site| site.has_begun = false);
    scene.edit(34, "2127-04-10 10:00:00").await;
    until_forwarded(&scene, "/events/month/2128-08/", false).await;
    assert!(is_forwarded(&scene, FAR).await);

    // An app shows its credentials in the body.
    let call = scene
        .edge
        .request(Method::POST, "/xmlrpc.php")
        .body("<methodCall/>");
    scene.change(|site| site.has_begun = true);
    Answer::to(call.header("content-type", "text/xml")).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(is_forwarded(&scene, "/events/month/2128-08/").await);
    scene.change(|site| site.has_begun = false);
    until_forwarded(&scene, "/events/month/2128-08/", false).await;

    // A write that changes nothing ends the pause as well.
    let save = scene
        .edge
        .request(Method::POST, "/wp-admin/post.php")
        .header("cookie", LOGIN);
    Answer::to(save.body("post=34")).await;
    until_forwarded(&scene, "/events/month/2128-04/", false).await;
}

/// The number of the edge's own requests for the page.
fn checks(scene: &FactsScene) -> usize {
    let seen = scene.origin.seen();
    seen.iter().filter(|seen| seen.target == CHECKED).count()
}

async fn until_checked(scene: &FactsScene, times: usize) {
    for _ in 0..400 {
        scene.edge.get(FAR).await;
        if checks(scene) >= times {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("the page is not asked for");
}

#[tokio::test]
async fn an_event_on_a_page_that_was_taken_for_empty_ends_the_edges_own_answers() {
    let scene = scene(|site| {
        site.full.insert(CHECKED.to_owned());
    })
    .await;
    assert!(!is_forwarded(&scene, FAR).await);
    // The check follows one of the next responses: it rests after another one now.
    until_checked(&scene, 1).await;
    assert!(
        !is_forwarded(&scene, FAR).await,
        "it is asked again before it is believed"
    );
    until_forwarded(&scene, FAR, true).await;
    assert_eq!(checks(&scene), 2);
    scene
        .until("edge_calendar_pages_failed", |failed| failed == "1")
        .await;
    assert!(is_forwarded(&scene, "/events/month/2128-04/").await);
    let status = scene.edge.admin("/status").await.json();
    assert_eq!(status["calendar_pages"]["check"]["example"], json!(CHECKED));
    assert!(status["calendar_pages"]["hindrance"].is_string());
}

#[tokio::test]
async fn t110_an_event_that_is_gone_at_the_second_look_ends_nothing() {
    let scene = scene(|site| {
        site.full.insert(CHECKED.to_owned());
    })
    .await;
    until_checked(&scene, 1).await;
    scene.change(|site| site.full.clear());
    until_checked(&scene, 2).await;
    let agreed = "edge_calendar_page_checks_total{result=\"agreed\"}";
    scene.until(agreed, |agreed| agreed != "0").await;
    assert!(!is_forwarded(&scene, FAR).await);
}

#[tokio::test]
async fn t110_no_spelling_of_a_client_makes_the_edge_doubt_its_pages() {
    let scene = scene(|_| {}).await;
    scene.origin.take_seen();
    let spelled =
        "/%65vents/month/2127-04/?fbclid=type-tribe_events&utm_x=%3Carticle+class=type-tribe_events%3E";
    until_checked(&scene, 1).await;
    for _ in 0..30 {
        assert!(!is_forwarded(&scene, spelled).await);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let seen = scene.origin.seen();
    let is_spelled = |target: &str| target.contains("fbclid") || target.contains("month");
    assert!(!seen.iter().any(|seen| is_spelled(&seen.target)));
    assert!(checks(&scene) > 1);
    assert_eq!(
        scene.edge.metric("edge_calendar_pages_failed").await.as_deref(),
        Some("0")
    );
}

#[tokio::test]
async fn t110_writes_with_a_made_up_login_open_no_page() {
    let scene = scene(|_| {}).await;
    for _ in 0..5 {
        let save = scene.edge.request(Method::POST, "/wp-admin/post.php");
        Answer::to(save.header("cookie", LOGIN).body("post=34")).await;
        assert!(!is_forwarded(&scene, FAR).await);
    }
}

#[tokio::test]
async fn after_a_quiet_time_the_site_is_asked_for_its_number_before_a_page() {
    let scene = scene(|_| {}).await;
    for _ in 0..2 {
        // Longer than the time for which a number holds.
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert!(!is_forwarded(&scene, FAR).await);
    }
}

#[tokio::test]
async fn a_site_whose_pages_are_made_otherwise_answers_them() {
    for odd in [
        json!({"views": false}),
        json!({"filters": ["posts_where"]}),
        json!({"plugin": "7.1"}),
    ] {
        let scene = FactsScene::with(
            |site| site.odd = odd,
            |settings| settings.calendar_pages.mode = Mode::Enforce,
        )
        .await;
        scene.until_whole(true).await;
        for _ in 0..3 {
            assert!(is_forwarded(&scene, FAR).await);
        }
        let status = scene.edge.admin("/status").await.json();
        assert!(status["calendar_pages"]["hindrance"].is_string());
    }
}

#[tokio::test]
async fn a_silent_companion_opens_all_pages() {
    let scene = scene(|_| {}).await;
    assert!(!is_forwarded(&scene, FAR).await);
    scene.change(|site| site.fault = Fault::Silent);
    until_forwarded(&scene, FAR, true).await;
    scene.change(|site| site.fault = Fault::None);
    until_forwarded(&scene, FAR, false).await;
}

/// A site that lets each robot read two pages an hour.
async fn scene_with_two_pages_for_robots(reconcile: Duration) -> FactsScene {
    // A client gets a quarter.
    scene_for_robots(reconcile, 8).await
}

async fn scene_for_robots(reconcile: Duration, requests: u32) -> FactsScene {
    let scene = FactsScene::with(
        |_| {},
        |settings| {
            settings.trusted_proxies = vec!["127.0.0.1/32".parse().expect("a network")];
            settings.cache.reconcile = reconcile;
            settings.calendar_pages.mode = Mode::Enforce;
            settings.calendar_pages.robots = Some(Rate {
                requests,
                period: Duration::from_hours(1),
            });
        },
    )
    .await;
    scene.until_whole(true).await;
    scene
}

#[tokio::test]
async fn a_silent_companion_does_not_end_the_budget_of_robots() {
    let scene = scene_with_two_pages_for_robots(Duration::from_secs(1)).await;
    until_forwarded(&scene, FAR, false).await;
    scene.change(|site| site.fault = Fault::Silent);
    // The edge does not surely know any more that this page is empty.
    until_forwarded(&scene, FAR, true).await;
    let ask = async |target: &str| scene.edge.get(target).await.status.as_u16();
    assert_eq!(ask("/events/2027-08-01/").await, 200);
    assert_eq!(ask("/events/month/2027-08/").await, 429);
    assert_eq!(ask("/events/").await, 200);
}

#[tokio::test]
async fn robots_share_one_budget_for_what_the_site_has_to_answer() {
    let scene = scene_with_two_pages_for_robots(Duration::from_mins(1)).await;
    until_forwarded(&scene, "/events/month/2150-01/", false).await;
    let ask = async |target: &str| scene.edge.get(target).await.status.as_u16();
    for target in ["/events/2027-08-01/", "/events/month/2027-08/"] {
        assert_eq!([ask(target).await, ask(target).await], [200, 200], "{target}");
    }
    let refused = scene.edge.get("/events/2027-08-01/?foo=1").await;
    assert_eq!(
        (refused.status.as_u16(), refused.header("retry-after").is_some()),
        (429, true)
    );
    let again = scene.edge.get("/events/2027-08-01/?foo=1").await;
    assert_eq!(again.status.as_u16(), 429, "a refused address is not a known one");
    // Known addresses, pages without a date, and the edge's own responses cost nothing.
    assert_eq!(ask("/events/2027-08-01/").await, 200);
    assert_eq!(ask("/events/").await, 200);
    assert_eq!(ask(FAR).await, 404);
    let person = scene
        .edge
        .request(Method::GET, "/events/2027-08-01/?foo=2")
        .header("cookie", "a=b");
    assert_eq!(Answer::to(person).await.status.as_u16(), 200);
    assert_eq!(count(&scene, "limited").await, "2");
}

#[tokio::test]
async fn t113_one_address_takes_no_robots_budget_from_others() {
    let scene = scene_for_robots(Duration::from_mins(1), 20).await;
    until_forwarded(&scene, "/events/month/2150-01/", false).await;
    let passed = async |client: &str, times: usize| {
        let mut passed = 0;
        for number in 0..times {
            let page = format!("/events/2027-08-01/?foo={number}&from={client}");
            let request = scene
                .edge
                .request(Method::GET, &page)
                .header("x-forwarded-for", client);
            passed += usize::from(Answer::to(request).await.status == 200);
        }
        passed
    };
    assert_eq!(passed("192.0.2.1", 40).await, 5);
    assert_eq!(passed("2001:db8::1", 4).await, 4);
    assert_eq!(passed("2001:db8::ffff", 4).await, 1, "one network is one client");
    assert_eq!(passed("192.0.2.2", 5).await, 5);
}

#[tokio::test]
async fn t114_whatever_runs_a_dated_page_pays_for_it() {
    let scene = scene_with_two_pages_for_robots(Duration::from_mins(1)).await;
    until_forwarded(&scene, "/events/month/2150-01/", false).await;
    let request = |method: Method, target: &str, field: (&str, &str), body: String| {
        let request = scene.edge.request(method, target).header(field.0, field.1);
        if body.is_empty() {
            request
        } else {
            request.body(body)
        }
    };
    let none = ("accept", "*/*");
    let large = format!("a={}", "x".repeat(70_000));
    let plain = [
        request(Method::GET, "/events/2027-08-01/?n=1", none, String::new()),
        request(Method::GET, "/events/2027-08-01/?n=2", none, String::new()),
    ];
    let beyond = [
        request(Method::GET, "/events/2027-08-01/?n=3", none, String::new()),
        request(Method::POST, "/events/2027-08-01/", none, "x".to_owned()),
        request(Method::OPTIONS, "/events/2027-08-01/?n=4", none, String::new()),
        request(Method::GET, "/events/2127-08-01/", none, "x".to_owned()),
        request(
            Method::POST,
            "/",
            FORM,
            "post_type=tribe_events&eventDate=2027-08".to_owned(),
        ),
        request(Method::POST, "/events/2027-08-01/", FORM, "a=b".to_owned()),
        request(Method::POST, "/events/", FORM, large),
        request(Method::GET, "/events/2027-08-01/feed/", none, String::new()),
        request(
            Method::GET,
            "/wp-json/tribe/views/v2/html?url=x",
            none,
            String::new(),
        ),
        request(
            Method::POST,
            "/wp-json//tribe/views%2Fv2/html",
            none,
            "{}".to_owned(),
        ),
        request(
            Method::GET,
            "/?rest_route=/tribe/views/v2/html",
            none,
            String::new(),
        ),
        request(
            Method::POST,
            "/",
            FORM,
            "rest_route=/tribe/views/v2/html".to_owned(),
        ),
        request(
            Method::POST,
            "/wp-admin/admin-ajax.php",
            FORM,
            "action=tribe_events_views_v2_fallback".to_owned(),
        ),
        request(Method::GET, "/no-such-page/?ical=1", none, String::new()),
    ];
    let free = [
        request(Method::GET, "/events/", none, String::new()),
        request(Method::POST, "/contact/", FORM, "text=2027-08-01".to_owned()),
        request(Method::GET, "/event/gala/", none, String::new()),
    ];
    for (requests, is_refused) in [
        (plain.into(), false),
        (Vec::from(beyond), true),
        (free.into(), false),
    ] {
        for request in requests {
            let answer = Answer::to(request).await;
            assert_eq!(
                answer.status == 429,
                is_refused,
                "{} {}",
                answer.status,
                answer.body
            );
        }
    }
    // Cookies and credentials prove nothing, and have a budget of their own.
    for claim in [
        ("authorization", "Basic YTpi"),
        ("cookie", LOGIN),
        ("cookie", "a=b"),
    ] {
        let page = |number: u32| format!("/events/2027-08-01/?{}={number}", claim.1.len());
        let ask = async |number: u32| {
            let request = request(Method::GET, &page(number), claim, String::new());
            Answer::to(request).await.status.as_u16()
        };
        let first = ask(0).await;
        assert_eq!(first, if claim.1 == "a=b" { 429 } else { 200 }, "{claim:?}");
        assert_eq!(ask(0).await, first, "{claim:?}");
    }
}

#[tokio::test]
async fn check_says_in_one_row_what_stands_in_the_way() {
    let directory = Directory::new("pages-checked");
    let secret = directory.write("secret", "a secret of thirty-two characters");
    let secret = format!("secret_file = \"{}\"", secret.display());
    let scene = FactsScene::with(|_| {}, |_| {}).await;
    let said = async |mode: &str| {
        let pages = format!("[calendar_pages]\nmode = \"{mode}\"");
        check(&scene.origin, "other = \"forward\"", &secret, &pages).await
    };
    let row = "`calendar_pages.mode` has no effect: ";
    assert!(
        said("enforce")
            .await
            .says("ok: nothing stands in the way of `calendar_pages`")
    );
    assert!(
        said("off")
            .await
            .says("note: calendar pages without events could be")
    );
    for (fault, reason) in [
        (
            Fault::Forged,
            "give the plugin the secret of `origin.secret_file`",
        ),
        (
            Fault::NoPlugin,
            "the site responds with status 404; install the companion plugin 0.8",
        ),
    ] {
        scene.change(|site| site.fault = fault);
        let said = said("report").await;
        assert!(said.says(row) && said.says(reason), "{}", said.text);
    }
    assert!(!said("off").await.says("calendar_pages"));
    scene.change(|site| {
        site.fault = Fault::None;
        site.odd = json!({"structure": ""});
    });
    let plain = said("report").await;
    assert!(
        plain.says(&format!("{row}the site has plain permalinks")),
        "{}",
        plain.text
    );
}

#[tokio::test]
async fn robots_wait_for_each_other_and_readers_do_not_wait_for_them() {
    let gate = Gate::closed();
    let behind = gate.clone();
    let origin = Origin::answering(move |seen| {
        let page = Reply::of_type(200, "text/html", "WordPress");
        let is_of_robots = seen.target.contains("views/v2/html") && seen.header("cookie").is_none();
        if is_of_robots { page.behind(&behind) } else { page }
    })
    .await;
    let edge = Edge::builder().origin(&origin).settings(|settings| {
        settings.other = OtherTraffic::Forward;
        settings.origin.mark_key = Some(key());
        settings.origin.max_in_flight = 8;
        settings.calendar_pages.mode = Mode::Enforce;
        settings.calendar_pages.robots = Some(Rate {
            requests: 100,
            period: Duration::from_hours(1),
        });
    });
    let edge = edge.start().await;
    let page = |number: usize| format!("/wp-json/tribe/views/v2/html?url={number}");
    let ask = async |number| edge.get(&page(number)).await.status.as_u16();
    let waiting = format!(
        "edge_origin_waiting_requests{{backend=\"{}\",traffic=\"robots\"}}",
        origin.base()
    );
    let readers = async {
        gate.reached_by(2).await;
        while edge.metric(&waiting).await.as_deref() != Some("1") {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(edge.get("/events/").await.status, 200);
        let person = edge.request(Method::GET, &page(0)).header("cookie", "a=b");
        assert_eq!(Answer::to(person).await.status, 200);
        let asked = origin
            .seen()
            .iter()
            .filter(|seen| seen.target.contains("url="))
            .count();
        assert_eq!(asked, 3, "two of robots, and one of a person");
        gate.open();
    };
    let (first, second, third, ()) = tokio::join!(ask(0), ask(1), ask(2), readers);
    assert_eq!([first, second, third], [200; 3]);
}
