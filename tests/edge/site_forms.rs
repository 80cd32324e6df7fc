//! Forms to the rest of the site: ordinary ones pass while they come, hidden calendar calls do not.

use std::fmt::Write as _;

use calendar_edge_core::settings::{OriginNamespace, OtherTraffic};
use calendar_edge_judge::contract::PLUGIN_NAMESPACE;
use http::Method;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{Answer, Edge, Origin, Reply};

const FORM: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data; boundary=----WebKitFormBoundaryAbC012dEf";
const DELIMITER: &str = "------WebKitFormBoundaryAbC012dEf";
const ROUTE: &str = "/tribe/events/v1/events";

async fn edge_before(base: &str) -> Edge {
    Edge::builder()
        .site(base)
        .settings(|settings| {
            settings.other = OtherTraffic::Forward;
            settings.origin.namespace = OriginNamespace::set(PLUGIN_NAMESPACE);
        })
        .start()
        .await
}

fn field(name: &str, value: &str) -> String {
    format!("{DELIMITER}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
}

fn file_head(name: &str, file: &str) -> String {
    format!(
        "{DELIMITER}\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{file}\"\r\n\
         Content-Type: application/octet-stream\r\n\r\n"
    )
}

fn end() -> String {
    format!("{DELIMITER}--\r\n")
}

/// Sends a request, and demands that the site gets it as it is.
async fn passes(method: Method, target: &str, content_type: &str, body: impl Into<Vec<u8>>) {
    let origin = Origin::always(Reply::of_type(200, "text/html", "<p>Done</p>")).await;
    let edge = edge_before(&origin.base()).await;
    let body = body.into();
    let request = edge
        .request(method.clone(), target)
        .header("content-type", content_type)
        .header("cookie", "wordpress_logged_in_x=admin%7C1")
        .header("x-wp-nonce", "0a1b2c3d4e")
        .header("x-http-method-override", "PUT")
        .body(body.clone());

    let answer = Answer::to(request).await;

    assert_eq!(
        (answer.status.as_u16(), answer.body.as_str()),
        (200, "<p>Done</p>"),
        "{target}"
    );
    let seen = origin.only();
    assert_eq!((&seen.method, seen.target.as_str()), (&method, target));
    assert_eq!(seen.header("content-type"), Some(content_type));
    assert_eq!(seen.header("x-http-method-override"), Some("PUT"));
    assert_eq!(
        seen.header("content-length"),
        Some(body.len().to_string().as_str())
    );
    assert!(seen.body == body, "the body of {target} changed");
}

#[tokio::test]
async fn a_login_passes() {
    let form = "log=admin&pwd=a+%26+b&wp-submit=Log+In&redirect_to=https%3A%2F%2Fa.example%2Fwp-admin%2F&testcookie=1";
    passes(Method::POST, "/wp-login.php", FORM, form).await;
}

#[tokio::test]
async fn a_comment_passes() {
    let form = "comment=Nice+%F0%9F%8E%89&author=A&email=a%40b.example&url=&submit=Post&comment_post_ID=1&comment_parent=0";
    passes(Method::POST, "/wp-comments-post.php", FORM, form).await;
}

#[tokio::test]
async fn a_post_with_many_fields_passes() {
    let mut form = "post_ID=7&action=editpost&content=".to_owned();
    form.push_str(&"%3Cp%3EText%3C%2Fp%3E".repeat(20_000));
    for index in 0..900 {
        let _ = write!(
            form,
            "&meta%5B{index}%5D%5Bkey%5D=k&tax_input[category][]={index}"
        );
    }
    passes(Method::POST, "/wp-admin/post.php", FORM, form).await;
}

#[tokio::test]
async fn a_post_about_rest_routes_passes() {
    let text = format!("See ?rest_route={ROUTE} and\r\nrest_route\r\n--boundary\r\nname=\"rest_route\"");
    let encoded = "post_title=rest_route&content=Call+%26rest_route%3D%2Ftribe%2Fevents%2Fv1%2Fevents+now";
    passes(Method::POST, "/wp-admin/post.php", FORM, encoded).await;
    let parts = field("content", &text) + &field("rest_routes", ROUTE) + &end();
    passes(Method::POST, "/wp-admin/post.php", MULTIPART, parts).await;
    let json = format!(r#"{{"content":"rest_route={ROUTE}","rest_route":"{ROUTE}"}}"#);
    passes(Method::POST, "/wp-json/wp/v2/posts/7", "application/json", json).await;
}

#[tokio::test]
async fn ajax_and_the_block_editor_pass() {
    let form = "action=heartbeat&_nonce=0a1b&interval=60&data%5Bwp-refresh-post-lock%5D%5Bpost_id%5D=7";
    passes(Method::POST, "/wp-admin/admin-ajax.php", FORM, form).await;
    let json = r#"{"title":"x","content":"<!-- wp:paragraph -->","status":"publish"}"#;
    passes(
        Method::POST,
        "/wp-json/wp/v2/posts/7?_locale=user",
        "application/json",
        json,
    )
    .await;
    passes(Method::PUT, "/wp-json/wp/v2/posts/7", "application/json", json).await;
    passes(
        Method::POST,
        "/index.php?rest_route=%2Fwp%2Fv2%2Fposts%2F7&_locale=user",
        "application/json",
        json,
    )
    .await;
    let batch = r#"{"validation":"require-all-validate","requests":[{"method":"PUT","path":"/wp/v2/posts/7","body":{}}]}"#;
    passes(Method::POST, "/wp-json/batch/v1", "application/json", batch).await;
}

#[tokio::test]
async fn xml_rpc_passes() {
    let call = "<?xml version=\"1.0\"?><methodCall><methodName>wp.getPosts</methodName></methodCall>";
    passes(Method::POST, "/xmlrpc.php", "text/xml", call).await;
}

#[tokio::test]
async fn a_checkout_passes() {
    let form = "billing_first_name=A&billing_last_name=%C3%9F&payment_method=bacs&terms=on&woocommerce-process-checkout-nonce=0a1b\
        &_wp_http_referer=%2F%3Fwc-ajax%3Dupdate_order_review&shipping_method%5B0%5D=flat_rate%3A1";
    passes(Method::POST, "/?wc-ajax=checkout", FORM, form).await;
    passes(
        Method::POST,
        "/?wc-ajax=checkout",
        "application/x-www-form-urlencoded; charset=UTF-8",
        form,
    )
    .await;
}

#[tokio::test]
async fn plugins_and_imports_are_uploaded() {
    let zip = "PK\u{3}\u{4}\r\n\r\n--\r\n------WebKit\n".repeat(4_000);
    let form = field("_wpnonce", "0a1b")
        + &file_head("pluginzip", "pl\\\"ug in.zip")
        + &zip
        + "\r\n"
        + &field("install-plugin-submit", "Install Now")
        + &end();
    passes(
        Method::POST,
        "/wp-admin/update.php?action=upload-plugin",
        MULTIPART,
        form,
    )
    .await;
    let form = field("max_file_size", "2097152") + &file_head("import", "") + "\r\n" + &end();
    passes(
        Method::POST,
        "/wp-admin/admin.php?import=wordpress&step=1",
        MULTIPART,
        form,
    )
    .await;
}

/// The second half of the file is sent only after the origin has the first: the edge holds next to nothing.
#[tokio::test]
async fn a_large_upload_streams() {
    const HALF: usize = 15_000_000;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let base = format!("http://{}", listener.local_addr().expect("a bound listener"));
    let edge = edge_before(&base).await;
    let head = field("name", "film.mp4")
        + &field("action", "upload-attachment")
        + &file_head("async-upload", "film.mp4");
    let half: Vec<u8> = (0..HALF).map(|at| b"\r\n--\0x"[at % 6]).collect();
    let tail = format!("\r\n{}", end());
    let length = head.len() + 2 * HALF + tail.len();
    let mut client = TcpStream::connect(edge.address()).await.expect("a connection");
    let request = format!(
        "POST /wp-admin/async-upload.php HTTP/1.1\r\nHost: localhost\r\nContent-Type: {MULTIPART}\r\n\
         Content-Length: {length}\r\n\r\n{head}"
    );
    let accept = async {
        let (mut stream, _) = listener.accept().await.expect("the edge connects");
        let mut received = Vec::new();
        while received.len() < HALF {
            assert!(stream.read_buf(&mut received).await.expect("readable") > 0);
        }
        (stream, received)
    };
    let send = async {
        client.write_all(request.as_bytes()).await.expect("sent");
        client.write_all(&half).await.expect("sent");
    };
    let ((mut stream, mut received), ()) = tokio::join!(accept, send);
    let finish = async {
        client.write_all(&half).await.expect("sent");
        client.write_all(tail.as_bytes()).await.expect("sent");
    };
    let rest = async {
        while !received.ends_with(tail.as_bytes()) {
            assert!(stream.read_buf(&mut received).await.expect("readable") > 0);
        }
    };
    tokio::join!(finish, rest);

    let body_at = received
        .windows(4)
        .position(|window| window == b"\r\n\r\n")
        .expect("a head")
        + 4;
    assert!(received[body_at..] == [head.as_bytes(), &half, &half, tail.as_bytes()].concat());
    stream
        .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        .await
        .expect("answered");
    let mut answer = Vec::new();
    while !answer.ends_with(b"ok") {
        assert!(client.read_buf(&mut answer).await.expect("readable") > 0);
    }
    assert!(answer.starts_with(b"HTTP/1.1 200"));
}

#[tokio::test]
async fn an_upload_that_turns_bad_never_becomes_a_request() {
    let origin = Origin::always(Reply::of_type(200, "text/html", "<p>Done</p>")).await;
    let edge = edge_before(&origin.base()).await;
    let file = file_head("f", "film.mp4") + &"x".repeat(1_000_000);
    for (bad, code) in [
        (
            format!("\r\n{}{}", field("rest_route", ROUTE), end()),
            "edge_route_contradiction",
        ),
        (
            format!("\r\n{}{}", field("rest.route[]", ROUTE), end()),
            "edge_route_contradiction",
        ),
        (
            format!("\n{}{}", field("rest_route", ROUTE), end()),
            "edge_unreadable_body",
        ),
        (
            format!("{}{}", field("rest_route", ROUTE), end()),
            "edge_unreadable_body",
        ),
        ("\r\n".to_owned(), "edge_unreadable_body"),
    ] {
        let request = edge
            .request(Method::POST, "/wp-admin/async-upload.php")
            .header("content-type", MULTIPART)
            .body(file.clone() + &bad);

        let answer = Answer::to(request).await;

        assert_eq!(
            (answer.status.as_u16(), answer.code().as_str()),
            (400, code),
            "{bad}"
        );
    }
    let long = "a=".to_owned() + &"x".repeat(1_000_000) + "&rest%5Froute=" + ROUTE;
    let request = edge
        .request(Method::POST, "/contact")
        .header("content-type", FORM)
        .body(long);
    assert_eq!(Answer::to(request).await.code(), "edge_route_contradiction");
    // The origin saw heads and beginnings, and no complete request.
    assert!(origin.seen().iter().all(|seen| seen.body.is_empty()));
}

/// Each of these once led to a calendar route around the edge.
#[tokio::test]
async fn forms_that_php_reads_in_its_own_way_are_refused() {
    let route = || field("rest_route", ROUTE);
    let part = |head: &str| format!("{DELIMITER}\r\n{head}\r\n\r\n{ROUTE}\r\n{}", end());
    let disposition = "Content-Disposition: form-data";
    let given_up = |name: &str| file_head(name, "x") + "\n" + &route() + &end();
    let files: String = (0..20)
        .map(|index| file_head(&format!("f{index}"), "x") + "x\r\n")
        .collect();
    let multipart = [
        part(&format!("{disposition};\r\n name=\"rest_route\"")),
        part(&format!("{disposition}; name=\"rest_route\0x\"")),
        part(&format!(
            "Content-Type: a\n{disposition}; name=\"rest_route\"\r\n{disposition}; name=\"a\""
        )),
        part(&format!(
            "X: {}\r\n{disposition}; name=\"rest_route\"",
            "z".repeat(5120)
        )),
        part(&format!("{disposition}; name=\"a\"; name=\"rest_route\"")),
        given_up("f["),
        given_up("f]["),
        field("MAX_FILE_SIZE", "1") + &given_up("f"),
        files + &given_up("f20"),
        file_head("f", "x") + &"z".repeat(5120) + &route() + &end(),
        field("a", "1").replace("\r\n", "\n") + &route().replace("\r\n", "\n") + &end(),
    ];
    let pairs = [
        format!("{}rest_route={ROUTE}", "a=1&".repeat(1000)),
        format!("{}rest_route={ROUTE}", "&".repeat(1000)),
        format!(
            "rest_route={ROUTE}{}rest_route=/wp/v2/posts",
            "&a".repeat(1000) + "&"
        ),
        format!("rest_route={ROUTE}&rest_route{}=1", "[a]".repeat(65)),
        format!("rest%20route[x]={ROUTE}"),
    ];
    let types = [
        "multipart/form-data; boundary=A; boundary=B",
        "multipart/form-data; xboundary=A; boundary=B",
        "multipart/form-data; boundary=",
        "multipart/form-data; boundary=\"\"",
    ];
    let with_type = types.map(|content_type| (content_type, "--\r\n".to_owned() + &route() + "----\r\n"));
    let cases = multipart.map(|body| (MULTIPART, body)).into_iter();
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge_before(&origin.base()).await;
    for (content_type, body) in cases.chain(pairs.map(|body| (FORM, body))).chain(with_type) {
        for target in ["/", "/wp-trackback.php", "/wp-admin/edit.php"] {
            let request = edge
                .request(Method::POST, target)
                .header("content-type", content_type)
                .body(body.clone());

            let answer = Answer::to(request).await;

            assert_eq!(answer.status, 400, "{target} {content_type} {body:.300}");
        }
    }
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn coded_forms_are_refused() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge_before(&origin.base()).await;
    let request = edge
        .request(Method::POST, "/contact")
        .header("content-type", FORM)
        .header("content-encoding", "gzip")
        .body("a=1");

    assert_eq!(Answer::to(request).await.code(), "edge_unreadable_body");

    assert!(origin.seen().is_empty());
}
