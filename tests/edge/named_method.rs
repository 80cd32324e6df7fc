//! A method that a client names beside its method decides of a write, as it does in WordPress, and of nothing else
//! (T-109).

use calendar_edge_core::settings::{CutMethods, Mode, OperationSettings, Profile, Settings};
use calendar_edge_judge::contract::table;
use http::Method;

use crate::cutover::{cut, rule};
use crate::logs::Lines;
use crate::rate_limits::rate;
use crate::support::{Answer, EVENTS, Edge, Origin, Reply, Seen};

const API: &str = "/wp-json/calendar/events/v1";

const ITEMS: [&str; 8] = [
    "/events/7",
    "/events/by-slug/gala",
    "/venues/7",
    "/venues/by-slug/gala",
    "/organizers/7",
    "/organizers/by-slug/gala",
    "/categories/7",
    "/tags/7",
];

/// A way to name a method.
#[derive(Debug, Clone, Copy)]
enum Naming {
    Header,
    Query,
    /// The query names it, and the header another one.
    Both,
}

/// A request as its caller writes it.
#[derive(Debug, Clone)]
struct Sent {
    method: Method,
    target: String,
    header: Option<String>,
    body: &'static str,
}

// === impl Sent ===

impl Sent {
    fn naming(method: &Method, path: &str, naming: Naming, named: &str) -> Self {
        let (query, header) = match naming {
            Naming::Header => (String::new(), Some(named.to_owned())),
            Naming::Query => (format!("?_method={named}"), None),
            Naming::Both => (format!("?_method={named}"), Some("HEAD".to_owned())),
        };
        Self {
            method: method.clone(),
            target: format!("{API}{path}{query}"),
            header,
            body: r#"{"description":"x"}"#,
        }
    }

    async fn answer(&self, edge: &Edge) -> Answer {
        let mut request = edge
            .request(self.method.clone(), &self.target)
            .basic_auth("editor", Some("secret"));
        if let Some(named) = &self.header {
            request = request.header("x-http-method-override", named);
        }
        if !self.body.is_empty() {
            request = request.header("content-type", "application/json").body(self.body);
        }
        Answer::to(request).await
    }
}

async fn site() -> Origin {
    Origin::always(Reply::json(200, r#"{"id":7}"#)).await
}

async fn edge(origin: &Origin, change: impl FnOnce(&mut Settings)) -> Edge {
    Edge::builder().origin(origin).settings(change).start().await
}

/// The calls that reached a site, as one text each.
fn calls(origin: &Origin) -> Vec<String> {
    let calls = origin.take_seen().into_iter();
    let calls = calls.filter(|seen| seen.target.contains("/events/v1"));
    calls.map(|seen| line(&seen)).collect()
}

fn line(seen: &Seen) -> String {
    assert_eq!(seen.header("x-http-method-override"), None, "{seen:?}");
    assert!(!seen.target.contains("_method"), "{seen:?}");
    let path = seen.target.trim_start_matches("/wp-json/tribe/events/v1");
    format!("{} {path} {}", seen.method, String::from_utf8_lossy(&seen.body))
}

/// Every way to name a method beside this one.
fn namings(method: &Method, path: &str) -> Vec<(Sent, String)> {
    let update = format!("POST {path} {{\"description\":\"x\"}}");
    let named = [
        ("DELETE", format!("DELETE {path} ")),
        ("delete", format!("DELETE {path} ")),
        ("PUT", update.clone()),
        ("patch", update.clone()),
        ("POST", update),
        ("GET", format!("GET {path} ")),
    ];
    let each = named.into_iter().flat_map(|(named, expected)| {
        let namings = [Naming::Header, Naming::Query, Naming::Both];
        namings.map(|naming| (Sent::naming(method, path, naming, named), expected.clone()))
    });
    each.collect()
}

#[tokio::test]
async fn t109_a_write_is_the_one_that_wordpress_carries_out() {
    for mode in [Mode::Enforce, Mode::Report, Mode::Off] {
        let origin = site().await;
        let edge = edge(&origin, |settings| settings.mode = mode).await;
        let methods = [Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
        let each = methods
            .iter()
            .flat_map(|method| ITEMS.map(|path| namings(method, path)));
        for (sent, expected) in each.flatten() {
            let answer = sent.answer(&edge).await;
            // `report` keeps what is undeclared; it moves where no body is sent.
            let found = calls(&origin).into_iter();
            let found: Vec<String> = found.map(|call| call.replace("?description=x", "")).collect();
            assert_eq!(found, [expected], "{mode:?} {sent:?} {}", answer.body);
        }
    }
}

#[tokio::test]
async fn t109_a_read_stays_a_read() {
    let origin = site().await;
    let edge = edge(&origin, |_| ()).await;
    for method in [Method::GET, Method::HEAD, Method::OPTIONS] {
        for naming in [Naming::Header, Naming::Query, Naming::Both] {
            for named in ["DELETE", "POST", "PATCH", "FOO"] {
                let sent = Sent::naming(&method, "/events/7", naming, named);
                assert_eq!(sent.answer(&edge).await.status, 200, "{sent:?}");
                assert_eq!(calls(&origin), [format!("{method} /events/7 ")], "{sent:?}");
            }
        }
    }
}

#[tokio::test]
async fn t109_a_named_head_has_the_head_of_a_read_and_no_body() {
    let origin = site().await;
    let edge = edge(&origin, |_| ()).await;
    for path in ["/events/7", "/events/7", "/events/0x7", "/nowhere"] {
        let sent = Sent::naming(&Method::GET, path, Naming::Query, "GET");
        let read = sent.answer(&edge).await;
        assert!(!read.body.is_empty(), "{path}");
        for naming in [Naming::Header, Naming::Query, Naming::Both] {
            for method in [Method::POST, Method::PUT, Method::DELETE] {
                let sent = Sent::naming(&method, path, naming, "HEAD");
                let answer = sent.answer(&edge).await;
                assert_eq!(
                    (answer.status, answer.body.as_str()),
                    (read.status, ""),
                    "{sent:?}"
                );
                assert_eq!(answer.header("content-length"), Some("0"), "{sent:?}");
                assert_eq!(
                    answer.header("content-type"),
                    read.header("content-type"),
                    "{sent:?}"
                );
            }
        }
    }
    let calls = calls(&origin);
    assert!(
        calls
            .iter()
            .all(|call| call.starts_with("GET ") || call.starts_with("HEAD ")),
        "{calls:?}"
    );
}

#[tokio::test]
async fn t109_what_names_no_method_reaches_no_record() {
    for mode in [Mode::Enforce, Mode::Report, Mode::Off] {
        let origin = site().await;
        let edge = edge(&origin, |settings| settings.mode = mode).await;
        for naming in [Naming::Header, Naming::Query] {
            for named in ["FOO", "", "DELETE,%20GET", "0"] {
                let sent = Sent::naming(&Method::POST, "/events/7", naming, named);
                let answer = sent.answer(&edge).await;
                let found = (answer.status.as_u16(), answer.code());
                assert_eq!(found, (404, "rest_no_route".to_owned()), "{sent:?}");
            }
        }
        let array = Sent {
            target: format!("{EVENTS}/7?_method[]=DELETE"),
            ..Sent::naming(&Method::POST, "/events/7", Naming::Query, "")
        };
        assert_eq!(array.answer(&edge).await.code(), "edge_method_contradiction");
        for twice in [
            "X-HTTP-Method-Override: DELETE\r\nX-HTTP-Method-Override: PUT",
            "X-HTTP-Method-Override: DELETE\r\nConnection: X-HTTP-Method-Override",
        ] {
            let mut client = edge.raw().await;
            let head = format!("POST {EVENTS}/7 HTTP/1.1\r\nHost: a.example\r\n{twice}\r\n");
            client.send(format!("{head}Content-Length: 0\r\n\r\n")).await;
            let answer = client.answer().await;
            assert!(
                answer.body.contains("edge_method_contradiction"),
                "{}",
                answer.body
            );
        }
        assert_eq!(calls(&origin), Vec::<String>::new());
    }
}

/// `PUT` of a body that PHP reads on POST alone, and a form beside a read.
#[tokio::test]
async fn t109_a_body_is_read_as_php_and_wordpress_read_it() {
    let origin = site().await;
    let edge = edge(&origin, |_| ()).await;
    for (method, named, expected) in [
        (Method::POST, "PUT", Some("POST /events/7 {\"title\":\"x\"}")),
        (Method::PUT, "PATCH", Some("POST /events/7 {\"title\":\"x\"}")),
        (Method::PUT, "POST", Some("POST /events/7 {}")),
        (Method::POST, "GET", None),
        (Method::PUT, "GET", Some("GET /events/7 ")),
    ] {
        let request = edge.request(method.clone(), &format!("{EVENTS}/7"));
        let request = request
            .basic_auth("editor", Some("secret"))
            .header("content-type", "application/x-www-form-urlencoded")
            .header("x-http-method-override", named);
        let answer = Answer::to(request.body("title=x")).await;
        let found = calls(&origin);
        assert_eq!(found.first().map(String::as_str), expected, "{method} {named}");
        assert_eq!(answer.status == 200, expected.is_some(), "{}", answer.body);
    }
}

#[tokio::test]
async fn t109_the_strict_profile_takes_no_name_beside_a_write() {
    let origin = site().await;
    let edge = edge(&origin, |settings| {
        settings.profile = Profile::Strict;
        settings.hosts = vec!["127.0.0.1".to_owned()];
    })
    .await;
    for naming in [Naming::Header, Naming::Query, Naming::Both] {
        for named in ["DELETE", "PUT", "POST"] {
            let sent = Sent::naming(&Method::POST, "/events/7", naming, named);
            assert_eq!(sent.answer(&edge).await.status, 400, "{sent:?}");
        }
    }
    assert_eq!(calls(&origin), Vec::<String>::new());
}

/// Each rule that depends on the method depends on this one.
#[tokio::test]
async fn t109_the_method_that_counts_is_allowed_counted_and_cut_over() {
    let (origin, next) = (site().await, site().await);
    let base = next.base();
    let edge = edge(&origin, |settings| {
        let id = table().named("venues.delete").expect("an operation").id;
        let closed = OperationSettings {
            allow: false,
            ..OperationSettings::default()
        };
        settings.operations.insert(id, closed);
        settings.rate_limits.address.writes = Some(rate(5));
        let mut moved = rule("organizers.delete");
        moved.methods = CutMethods::All;
        cut(settings, &base, vec![moved]);
    })
    .await;
    let delete = |path| Sent::naming(&Method::POST, path, Naming::Header, "DELETE");

    let denied = delete("/venues/7").answer(&edge).await;
    assert_eq!(denied.code(), "edge_operation_denied");
    let counted = denied.header("ratelimit").expect("it is counted");
    assert!(counted.starts_with(r#""address-writes";r=4;"#), "{counted}");
    assert_eq!(delete("/organizers/7").answer(&edge).await.status, 200);
    assert_eq!(calls(&next), ["DELETE /organizers/7 "]);
    let read = Sent::naming(&Method::PUT, "/events/7", Naming::Header, "GET");
    let answer = read.answer(&edge).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("ratelimit"), None);
    assert_eq!(calls(&origin), ["GET /events/7 "]);
}

#[tokio::test]
async fn t109_addresses_that_may_not_write_may_read_by_any_method() {
    let origin = site().await;
    let edge = edge(&origin, |settings| {
        settings.write_addresses = vec!["192.0.2.0/24".parse().expect("a network")];
    })
    .await;
    let named = |named| Sent::naming(&Method::POST, "/events/7", Naming::Query, named);
    assert_eq!(named("GET").answer(&edge).await.status, 200);
    assert_eq!(named("DELETE").answer(&edge).await.code(), "edge_address_denied");
    assert_eq!(calls(&origin), ["GET /events/7 "]);
}

#[tokio::test]
async fn t109_a_stored_record_goes_with_a_named_delete() {
    let origin = site().await;
    let edge = Edge::builder().origin(&origin).caching().start().await;
    let read = format!("{EVENTS}/7");
    for _ in 0..2 {
        edge.get(&read).await;
    }
    assert_eq!(calls(&origin), ["GET /events/7 "]);
    let delete = Sent::naming(&Method::POST, "/events/7", Naming::Header, "DELETE");
    delete.answer(&edge).await;
    edge.get(&read).await;
    assert_eq!(calls(&origin), ["DELETE /events/7 ", "GET /events/7 "]);
}

#[tokio::test]
async fn t109_the_log_names_both_methods() {
    let (lines, _guard) = Lines::collect().await;
    let origin = site().await;
    let edge = edge(&origin, |settings| settings.mode = Mode::Report).await;
    let delete = Sent::naming(&Method::POST, "/events/7", Naming::Header, "DELETE");
    delete.answer(&edge).await;
    let access = lines.access_lines(1).await;
    let line = access.last().expect("a line");
    assert_eq!(line["http.request.method"], "DELETE");
    assert_eq!(line["http.request.method_original"], "POST");
    assert_eq!(line["edge.operation"], "events.delete");
}
