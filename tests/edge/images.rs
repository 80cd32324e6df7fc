//! The site itself fetches the URL of an image, so a client must not choose the host (T-17).

use calendar_edge_core::settings::Mode;
use http::Method;

use crate::support::{Answer, EVENTS, Edge, Origin, Reply};

const REFUSED: &str = r#"{"code":"rest_invalid_param","message":"Invalid parameter(s): image","data":{"status":400,"params":{"image":"Invalid parameter."},"details":[]}}"#;

async fn edge(origin: &Origin, mode: Mode) -> Edge {
    let builder = Edge::builder().origin(origin).settings(|settings| {
        settings.public_url = Some("https://events.example.org".parse().expect("a URL"));
        settings.mode = mode;
    });
    builder.start().await
}

async fn update(edge: &Edge, target: &str, media: &str, body: &str) -> Answer {
    let request = edge
        .request(Method::POST, target)
        .header("authorization", "Basic YTpi")
        .header("content-type", media)
        .body(body.to_owned());
    Answer::to(request).await
}

#[tokio::test]
async fn t17_only_listed_hosts_are_forwarded() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin, Mode::Enforce).await;
    let event = format!("{EVENTS}/56");
    for (body, forwarded) in [
        (r#"{"image":"5"}"#, true),
        (r#"{"image":"https://events.example.org/x.png"}"#, true),
        (
            r#"{"venue":{"venue":"N","image":"https://events.example.org/x.png"}}"#,
            true,
        ),
        (r#"{"image":"http://127.0.0.1:9/x.png"}"#, false),
        (r#"{"image":"http://events.example.org@127.0.0.1/x.png"}"#, false),
        (r#"{"image":"https://evil.example/x.png"}"#, false),
        (r#"{"venue":{"venue":"N","image":"http://127.0.0.1/"}}"#, false),
        (r#"{"venue":[{"venue":"N","image":"http://127.0.0.1/"}]}"#, false),
        (
            r#"{"organizer":{"organizer":"N","image":"http://127.0.0.1/"}}"#,
            false,
        ),
        (
            r#"{"organizer":[15,{"organizer":"N","image":"http://127.0.0.1/"}]}"#,
            false,
        ),
    ] {
        let answer = update(&edge, &event, "application/json", body).await;
        assert_eq!(answer.status, if forwarded { 200 } else { 400 }, "{body}");
        assert_eq!(origin.take_seen().len(), usize::from(forwarded), "{body}");
        if !forwarded && body.starts_with(r#"{"image"#) {
            assert_eq!(answer.body, REFUSED);
        }
    }
}

#[tokio::test]
async fn t17_no_spelling_gets_around_it() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin, Mode::Enforce).await;
    let form = "application/x-www-form-urlencoded";
    let url = "http%3A%2F%2F127.0.0.1%2F";
    for (target, media, body) in [
        (
            format!("{EVENTS}/56?image={url}"),
            "application/json",
            "{}".to_owned(),
        ),
        (format!("{EVENTS}/56"), form, format!("image={url}")),
        (
            format!("{EVENTS}/56"),
            form,
            format!("venue[venue]=N&venue[image]={url}"),
        ),
        // An envelope hides the status, and its words are the origin's elsewhere.
        (format!("{EVENTS}/56?_envelope=1"), form, format!("image={url}")),
        (
            format!("{EVENTS}/56?_envelope=1"),
            form,
            format!("organizer[0][image]={url}"),
        ),
    ] {
        let answer = update(&edge, &target, media, &body).await;
        assert!(
            answer.body.contains("rest_invalid_param"),
            "{target} {body}: {}",
            answer.body
        );
        assert!(origin.take_seen().is_empty(), "{target} {body}");
    }
}

/// Texts that some client, server or PHP function could send a request for, and texts that name nothing.
const FOREIGN: [&str; 38] = [
    "x:http://127.0.0.1/x.png",
    "X:HTTP://127.0.0.1/x.png",
    "http://127.0.0.1/x.png",
    "HTTP://127.0.0.1/x.png",
    "hTTps://evil.example/x.png",
    "http:127.0.0.1/x.png",
    "http:/127.0.0.1/x.png",
    "http:///127.0.0.1/x.png",
    "http:\\\\127.0.0.1\\x.png",
    "http://127.0.0.1",
    "//127.0.0.1/x.png",
    "/\\127.0.0.1/x.png",
    "127.0.0.1/x.png",
    "events.example.org/x.png",
    "//events.example.org/x.png",
    "ftp://events.example.org/x.png",
    "file:///etc/passwd",
    "gopher://127.0.0.1:25/x",
    "data:image/png;base64,AAAA",
    "php://filter/resource=x.png",
    " http://127.0.0.1/x.png",
    "\thttp://127.0.0.1/x.png",
    "ht\ttp://127.0.0.1/x.png",
    "http://events.example.org\n@127.0.0.1/x.png",
    "http://events.example.org/x.png\r\n",
    "\u{0}http://127.0.0.1/x.png",
    "http://[::1]/x.png",
    "http://[::ffff:127.0.0.1]:80/x.png",
    "http://2130706433/x.png",
    "http://events.example.org:8080/x.png",
    "http://events.example.org@127.0.0.1/x.png",
    "http://u:p@events.example.org/x.png",
    "http://events.example.org%2f@127.0.0.1/x.png",
    "http://events%2eexample.org/x.png",
    "http://events.example.org\\@127.0.0.1/x.png",
    "http://ev\u{e9}nts.example.org/x.png",
    "notaurl",
    "5.5",
];

#[tokio::test]
async fn t17_no_spelling_is_left_to_the_origins_words() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin, Mode::Enforce).await;
    for text in FOREIGN {
        for body in [
            serde_json::json!({"image": text}),
            serde_json::json!({"venue": {"venue": "N", "image": text}}),
            serde_json::json!({"organizer": [15, {"organizer": "N", "image": text}]}),
            serde_json::json!({"organizer": {"a": {"organizer": "N", "image": text}}}),
        ] {
            let target = format!("{EVENTS}/56?_envelope=1");
            let answer = update(&edge, &target, "application/json", &body.to_string()).await;
            assert!(
                answer.body.contains("rest_invalid_param"),
                "{body}: {}",
                answer.body
            );
            let request = edge
                .request(Method::POST, &format!("{EVENTS}/56"))
                .header("cookie", "wordpress_logged_in_x=a")
                .header("x-wp-nonce", "n")
                .header("content-type", "application/json")
                .body(body.to_string());
            assert_eq!(Answer::to(request).await.status, 400, "{body}");
            assert!(origin.take_seen().is_empty(), "{body}");
        }
    }
}

#[tokio::test]
async fn t17_report_mode_only_reports() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin, Mode::Report).await;
    let body = r#"{"image":"https://evil.example/x.png"}"#;
    let answer = update(&edge, &format!("{EVENTS}/56"), "application/json", body).await;
    assert_eq!(answer.status, 200);
    assert_eq!(origin.only().body, body);
    let metrics = edge.admin("/metrics").await.body;
    assert!(
        metrics.contains(r#"rule="image",mode="report",action="forwarded""#),
        "{metrics}"
    );
}
