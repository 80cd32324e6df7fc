//! An edge before the whole site: pages stream through, hidden REST calls do not.

use calendar_edge_core::settings::OtherTraffic;
use http::Method;

use crate::support::{Answer, Edge, Origin, Reply, raw_get};

async fn edge_before(origin: &Origin) -> Edge {
    Edge::builder()
        .origin(origin)
        .settings(|settings| settings.other = OtherTraffic::Forward)
        .start()
        .await
}

fn page() -> Reply {
    Reply::of_type(200, "text/html; charset=UTF-8", "<h1>Welcome</h1>")
}

#[tokio::test]
async fn pages_pass_as_they_are() {
    let origin = Origin::always(
        page()
            .header("set-cookie", "a=1")
            .header("set-cookie", "b=2")
            .header("x-powered-by", "PHP"),
    )
    .await;
    let edge = edge_before(&origin).await;
    let request = edge
        .request(Method::GET, "/veranstaltungen/?tribe-bar-date=2026-11&x[]=%27")
        .header("cookie", "PHPSESSID=1")
        .header("accept-language", "de")
        .header("x-forwarded-for", "192.0.2.1");

    let answer = Answer::to(request).await;

    assert_eq!(answer.body, "<h1>Welcome</h1>");
    assert_eq!(answer.headers.get_all("set-cookie").iter().count(), 2);
    assert_eq!(answer.header("x-powered-by"), Some("PHP"));
    let seen = origin.only();
    assert_eq!(seen.target, "/veranstaltungen/?tribe-bar-date=2026-11&x[]=%27");
    assert_eq!(seen.header("cookie"), Some("PHPSESSID=1"));
    assert_eq!(seen.header("accept-language"), Some("de"));
    assert_eq!(seen.header("x-forwarded-for"), Some("127.0.0.1"));
    let metrics = edge.admin("/metrics").await.body;
    assert!(metrics.contains(r#"edge_origin_requests_total{kind="site",outcome="2xx"} 1"#));
}

#[tokio::test]
async fn only_the_calendars_preflights_are_answered_here() {
    let origin = Origin::always(page().header("access-control-allow-origin", "https://site.example")).await;
    let edge = edge_before(&origin).await;
    let asking = |target| {
        edge.request(Method::OPTIONS, target)
            .header("origin", "https://a.example")
            .header("access-control-request-method", "GET")
    };

    let calendar = Answer::to(asking("/wp-json/calendar/events/v1/events")).await;
    let site = Answer::to(asking("/wp-json/wp/v2/posts")).await;
    let unreadable = Answer::to(asking("/wp-json/calendar/events/v1/%00")).await;

    assert_eq!(calendar.status, 204);
    assert_eq!(calendar.header("access-control-allow-origin"), Some("*"));
    assert_eq!(origin.only().target, "/wp-json/wp/v2/posts");
    assert_eq!(site.status, 200);
    assert_eq!(
        site.header("access-control-allow-origin"),
        Some("https://site.example")
    );
    assert_eq!(site.header("access-control-expose-headers"), None);
    assert_eq!(unreadable.status, 400);
    assert_eq!(unreadable.header("access-control-allow-origin"), Some("*"));
    assert_eq!(unreadable.header("access-control-allow-methods"), None);
}

#[tokio::test]
async fn t97_what_contradicts_the_edge_reaches_no_part_of_the_site() {
    let origin = Origin::always(page()).await;
    let edge = edge_before(&origin).await;
    let claims = [
        ("forwarded", "for=192.0.2.1;host=evil.example"),
        ("x-forwarded-port", "1"),
        ("x-forwarded-ssl", "on"),
        ("x-forwarded-server", "evil.example"),
        ("x-original-host", "evil.example"),
        ("front-end-https", "on"),
        ("client-ip", "192.0.2.1"),
        ("x-real-ip", "192.0.2.1"),
        ("true-client-ip", "192.0.2.1"),
        ("cf-connecting-ip", "192.0.2.1"),
        ("x-client-ip", "127.0.0.1"),
        ("proxy", "http://evil.example"),
        ("x-calendar-edge-purge", "v1 t=1,s=00"),
        ("x-calendar-edge-changes", "7"),
    ];
    for target in ["/", "/wp-json/wp/v2/posts", "/wp-json/calendar/events/v1/events"] {
        let mut request = edge.request(Method::GET, target);
        for (name, value) in claims {
            request = request.header(name, value);
        }
        Answer::to(request).await;
        let seen = origin.take_seen().pop().expect("a request");
        for (name, value) in claims {
            // The address of this client.
            let expected = (value == "127.0.0.1" && !target.contains("calendar")).then_some(value);
            assert_eq!(seen.header(name), expected, "{name} at {target}");
        }
        assert_eq!(seen.header("x-forwarded-for"), Some("127.0.0.1"), "{target}");
    }
}

#[tokio::test]
async fn what_the_site_says_of_its_connection_stays_behind() {
    let origin = Origin::always(
        page()
            .header("connection", "Upgrade, X-Once")
            .header("upgrade", "h2,h2c")
            .header("keep-alive", "timeout=5, max=100")
            .header("x-once", "1")
            .header("x-wp_odd.name", "2"),
    )
    .await;
    let edge = edge_before(&origin).await;
    let answer = edge.get("/").await;
    for name in ["connection", "upgrade", "keep-alive", "x-once"] {
        assert_eq!(answer.header(name), None, "{name}");
    }
    assert_eq!(answer.header("x-wp_odd.name"), Some("2"));
}

#[tokio::test]
async fn redirects_and_errors_of_the_site_pass() {
    let origin = Origin::answering(|seen| match seen.target.as_str() {
        "/old" => Reply::of_type(301, "text/html", "").header("location", "/new"),
        _ => Reply::of_type(404, "text/html", "<h1>Not here</h1>"),
    })
    .await;
    let edge = edge_before(&origin).await;

    let moved = edge.get("/old").await;
    let missing = edge.get("/missing").await;

    assert_eq!(
        (moved.status.as_u16(), moved.header("location")),
        (301, Some("/new"))
    );
    assert_eq!(
        (missing.status.as_u16(), missing.body.as_str()),
        (404, "<h1>Not here</h1>")
    );
}

#[tokio::test]
async fn other_rest_routes_pass_unchanged() {
    let origin = Origin::always(Reply::json(200, "[]")).await;
    let edge = edge_before(&origin).await;
    let request = edge
        .request(Method::POST, "/wp-json/wp/v2/posts/3?_fields=id")
        .header("x-http-method-override", "PUT")
        .header("content-type", "application/json")
        .body(r#"{"title":"x"}"#);

    assert_eq!(Answer::to(request).await.status, 200);

    let seen = origin.only();
    assert_eq!(seen.target, "/wp-json/wp/v2/posts/3?_fields=id");
    assert_eq!(seen.header("x-http-method-override"), Some("PUT"));
    assert_eq!(&seen.body[..], br#"{"title":"x"}"#);
}

#[tokio::test]
async fn discovery_names_the_public_root() {
    let origin = Origin::answering(|seen| {
        let host = seen.header("host").unwrap_or_default().to_owned();
        let link = format!("<http://{host}/wp-json/>; rel=\"https://api.w.org/\"");
        page().header("link", link.leak())
    })
    .await;
    let edge = edge_before(&origin).await;

    let answer = edge.get("/").await;

    let expected = format!("<{}>; rel=\"https://api.w.org/\"", edge.url("/wp-json/"));
    assert_eq!(answer.header("link"), Some(expected.as_str()));
}

#[tokio::test]
async fn calendar_routes_in_a_query_are_judged() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge_before(&origin).await;

    let good = edge.get("/?rest_route=/calendar/events/v1/events&page=2").await;
    let bad = edge
        .get("/any/page?rest.route=/calendar/events/v1/events&page=none")
        .await;

    assert_eq!(good.status, 200);
    assert_eq!(bad.code(), "rest_invalid_param");
    assert_eq!(origin.only().target, "/wp-json/tribe/events/v1/events?page=2");
}

#[tokio::test]
async fn calendar_routes_behind_any_spelling_of_the_front_page_are_judged() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge_before(&origin).await;
    for front in [
        "index.php/",
        "index.php%2F",
        "index%2Ephp/",
        "indexXphp/",
        "index%2fphp/",
        "index+php/",
    ] {
        let answer = edge
            .get(&format!("/{front}wp-json/calendar/events/v1/events?page=none"))
            .await;

        assert_eq!(answer.code(), "rest_invalid_param", "{front}");
    }
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn calendar_routes_in_a_form_are_judged() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge_before(&origin).await;
    let boundary = "multipart/form-data; boundary=x";
    let part = "--x\r\nContent-Disposition: form-data; name=\"rest_route\"\r\n\r\n/calendar/events/v1/events\r\n--x--\r\n";
    let form = "application/x-www-form-urlencoded";
    for (media_type, body) in [
        (form, "rest_route=/calendar/events/v1/events"),
        (form, "a=1&rest%5Froute=%2Fcalendar%2Fevents%2Fv1%2Fevents"),
        (form, "rest_route=/x&rest.route=/Calendar/events/v1/events/"),
        (boundary, part),
    ] {
        let request = edge
            .request(Method::POST, "/contact")
            .header("content-type", media_type)
            .body(body);

        let answer = Answer::to(request).await;

        // A create without its title: the calendar's own refusal.
        assert_eq!(answer.code(), "rest_missing_callback_param", "{body}");
    }
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn forms_that_cannot_be_told_are_refused() {
    let origin = Origin::always(page()).await;
    let edge = edge_before(&origin).await;
    let form = "application/x-www-form-urlencoded";
    for (media_types, body) in [
        (&[form][..], "rest_route[]=/calendar/events/v1/events"),
        (&[form, "text/plain"], "a=1"),
        (
            &["multipart/form-data; boundary=x"],
            "--x\r\nname=\"rest_route\" cut",
        ),
        // To PHP a line feed alone begins a boundary line.
        (
            &["multipart/form-data; boundary=x"],
            "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\n--x\r\n\
             Content-Disposition: form-data; name=\"rest_route\"\r\n\r\n/calendar/events/v1/events\r\n--x--\r\n",
        ),
    ] {
        let request = media_types.iter().fold(
            edge.request(Method::POST, "/contact").body(body),
            |request, media_type| request.header("content-type", *media_type),
        );

        let answer = Answer::to(request).await;

        assert_eq!(answer.status, 400, "{body}");
    }
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn ordinary_forms_and_uploads_pass() {
    let origin = Origin::always(page()).await;
    let edge = edge_before(&origin).await;
    let upload = vec![7_u8; 3_000_000];
    let form = edge
        .request(Method::POST, "/contact")
        .header("content-type", "application/x-www-form-urlencoded")
        .body("name=M%C3%BCller&text=the+rest+of+my+route");
    let file = edge
        .request(Method::PUT, "/upload")
        .header("content-type", "application/octet-stream")
        .body(upload.clone());

    assert_eq!(Answer::to(form).await.status, 200);
    assert_eq!(Answer::to(file).await.status, 200);

    let seen = origin.seen();
    assert_eq!(&seen[0].body[..], b"name=M%C3%BCller&text=the+rest+of+my+route");
    assert_eq!(&seen[1].body[..], &upload[..]);
}

#[tokio::test]
async fn a_target_that_servers_read_in_two_ways_is_refused() {
    let origin = Origin::always(page()).await;
    let edge = edge_before(&origin).await;
    for target in [
        "/x/../wp-json/calendar/events/v1/events",
        "/x/%2e%2e/wp-login.php",
    ] {
        let answer = edge.raw().await.send(raw_get(target)).await.answer().await;
        assert_eq!(answer.status, 400, "{target}");
    }
    assert!(origin.seen().is_empty());
}

/// The site may believe to have the address that is dialled, the one of the edge, or a third one.
#[tokio::test]
async fn the_addresses_in_the_headers_of_a_page_are_the_edges() {
    for home in [
        None,
        Some("https://wp.example.net"),
        Some("http://events.example.org"),
    ] {
        let origin = Origin::answering_with(move |_, base| {
            let home = home.unwrap_or(base);
            let link = format!(
                "<{home}/wp-json/>; rel=\"https://api.w.org/\", <{home}/?p=50>; rel=shortlink; title=\"<a>, b\""
            );
            let alternate = format!("<{home}/wp-json/wp/v2/tribe_events/50>; rel=\"alternate\"");
            page()
                .header("link", link.leak())
                .header("link", alternate.leak())
                .header("x-tec-api-root", format!("{home}/wp-json/tribe/events/v1/events/50").leak())
                .header("x-tec-api-origin", home.to_owned().leak())
                .header("x-pingback", format!("{home}/xmlrpc.php").leak())
                .header("content-location", format!("{home}/event/a/").leak())
                .header("refresh", format!("3; url={home}/event/a/").leak())
        })
        .await;
        let edge = Edge::builder().origin(&origin).settings(|settings| {
            settings.other = OtherTraffic::Forward;
            settings.public_url = Some("https://events.example.org".parse().expect("a URL"));
        });
        let edge = edge.start().await;

        let answer = edge.get("/event/a/").await;

        let public = "https://events.example.org";
        let links: Vec<_> = answer.headers.get_all("link").iter().collect();
        assert_eq!(
            links,
            [
                &format!(
                    "<{public}/wp-json/>; rel=\"https://api.w.org/\", <{public}/?p=50>; rel=shortlink; title=\"<a>, b\""
                ),
                &format!("<{public}/wp-json/wp/v2/tribe_events/50>; rel=\"alternate\""),
            ]
        );
        for (name, value) in [
            (
                "x-tec-api-root",
                "https://events.example.org/wp-json/calendar/events/v1/events/50",
            ),
            ("x-tec-api-origin", public),
            ("x-pingback", "https://events.example.org/xmlrpc.php"),
            ("content-location", "https://events.example.org/event/a/"),
            ("refresh", "3; url=https://events.example.org/event/a/"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{home:?}");
        }
    }
}

#[tokio::test]
async fn redirects_of_the_site_lead_to_the_edge() {
    let origin = Origin::answering_with(|seen, base| {
        let location = match seen.target.as_str() {
            "/old" => format!("{base}/new?from={base}/old"),
            "/api" => format!("{base}/wp-json/tribe/events/v1/events"),
            _ => "https://elsewhere.example/wp-json/tribe/events/v1/".to_owned(),
        };
        Reply::of_type(302, "text/html", "").header("location", location.leak())
    })
    .await;
    let edge = edge_before(&origin).await;
    let from = format!("{}/old", origin.base());
    for (target, location) in [
        ("/old", edge.url(&format!("/new?from={from}"))),
        ("/api", edge.url("/wp-json/calendar/events/v1/events")),
        (
            "/away",
            "https://elsewhere.example/wp-json/tribe/events/v1/".to_owned(),
        ),
    ] {
        let answer = edge.get(target).await;
        assert_eq!(answer.header("location"), Some(location.as_str()), "{target}");
    }
}

#[tokio::test]
async fn targets_go_out_byte_for_byte() {
    let origin = Origin::always(page()).await;
    let edge = edge_before(&origin).await;
    for target in [
        "/?s=O'Reilly",
        "/a'b/?x='1'&y=%27",
        "/{a}|b^c/?q={d}|e^f",
        "/müller/?q=ü",
        "/plain/?a=%c3%bc&&b=+c",
    ] {
        let answer = edge.raw().await.send(raw_get(target)).await.answer().await;
        assert_eq!(
            (answer.status, answer.body.as_str()),
            (200, "<h1>Welcome</h1>"),
            "{target}"
        );
        assert_eq!(origin.take_seen().pop().expect("a request").target, target);
    }
    let request = edge.request(Method::POST, "/?s=O'Reilly").body("a=b");
    assert_eq!(Answer::to(request).await.status, 200);
}

#[tokio::test]
async fn an_absent_site_is_named_whatever_the_target() {
    let edge = edge_before(&Origin::down()).await;
    for target in ["/?s=O", "/?s=O'Reilly"] {
        let answer = edge.raw().await.send(raw_get(target)).await.answer().await;
        assert_eq!(answer.status, 502, "{target}");
        assert!(
            answer.body.contains("edge_origin_failed"),
            "{target}: {}",
            answer.body
        );
    }
}
