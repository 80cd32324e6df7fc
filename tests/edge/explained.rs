//! `explain` prints the decision that a running edge makes: outcome, status, code, and the outgoing request.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::process::Command;

use futures_util::{StreamExt as _, stream};
use http::{HeaderMap, HeaderValue};
use serde_json::{Value, json};

use crate::judging::{Request, well_formed};
use crate::strict::{RULES, request};
use crate::support::{Answer, Directory, Edge, Origin, Program, RawClient, Reply, Seen};

/// Headers of outgoing requests that belong to one connection or one request.
const PASSING: [&str; 5] = [
    "host",
    "x-request-id",
    "connection",
    "traceparent",
    "x-calendar-edge-circle",
];

/// Headers that `explain` does not show.
const SECRET: [&str; 3] = ["authorization", "cookie", "x-wp-nonce"];

/// Requests of several callers and addresses, and under several settings.
const ABOUT_CALLERS: [&str; 36] = [
    "POST @/tags | JSON | {\"name\":\"x\"}",
    "POST @/tags | Cookie: wordpress_logged_in_1=a%7C1%7Cb | JSON | {\"name\":\"x\"}",
    "POST @/tags?_wpnonce=0123456789 | Cookie: wordpress_logged_in_1=a%7C1%7Cb | FORM | name=x",
    "POST @/tags | X-WP-Nonce: 0123456789 | JSON | {\"name\":\"\"}",
    "POST @/tags?_envelope=1 | JSON | {}",
    "PUT @/events/056 | JSON | {\"title\":\"x\",\"colour\":\"red\"}",
    "PATCH @/venues/7 | FORM | venue=Hall&_wpnonce=1",
    "DELETE @/events/7",
    "DELETE @/events/7 | JSON | {\"id\":8}",
    "DELETE @/events/by-slug/gala%20night",
    "POST @/events/7 | X-HTTP-Method-Override: DELETE",
    "POST @/events/by-slug/gala?_method=delete | X-HTTP-Method-Override: PUT",
    "PUT @/tags?_method=POST | JSON | {\"name\":\"x\"}",
    "POST @/venues?_method=GET | JSON | {\"page\":2}",
    "POST @/events/7 | X-HTTP-Method-Override: FOO",
    "POST @/events/7?_method[]=DELETE",
    "POST @/events/7 | X-HTTP-Method-Override: PUT | X-HTTP-Method-Override: PATCH",
    "GET @/events?per.page=2&lang=de&_fields=id&unknown=1",
    "GET @/events | Cookie: wp-postpass_1=x",
    "GET @/events | Authorization: Digest username=\"a\"",
    "GET @/nowhere | Authorization: Digest username=\"a\"",
    "GET /somewhere/else",
    "GET /wp-json/wp/v2/posts",
    "HEAD @/events?page=0",
    "OPTIONS @/events",
    "OPTIONS @/events | Origin: https://a.example | Access-Control-Request-Method: GET",
    "GET @/events?_jsonp=callback",
    "GET @/events | Body | x=1",
    "GET @/events | X-Forwarded-For: 192.0.2.1",
    "GET @/events | Host: evil.example",
    "POST / | FORM | rest_route=/calendar/events/v1/tags&name=x",
    "GET /wp-json/wp/v2/users/1",
    "GET /wp-json/tec/v1/events | Authorization: Basic YTpi | Authorization: Basic YTpj",
    "GET /wp-json/wp/v2/users | Cookie: wordpress_logged_in_1=a%7C1%7Cb",
    "GET /?author=1",
    "POST / | FORM | rest_route=/wp/v2/users&name=x",
];

/// The settings beside the origin, by the name of the case.
const SETTINGS: [(&str, &str); 4] = [
    (
        "compatible",
        "namespaces = [\"calendar/events/v1\", \"tribe/events/v1\"]\n",
    ),
    ("strict", "profile = \"strict\"\nhosts = [\"127.0.0.1\"]\n"),
    (
        "restricted",
        "writers = [\"editor\"]\nother = \"forward\"\nmode = \"report\"\nallow_jsonp = true\n\
         [[surface]]\nroutes = [\"users\"]\ncallers = \"credentials\"\nmode = \"enforce\"\n",
    ),
    (
        "closed",
        "write_addresses = [\"192.0.2.0/24\"]\nwrites = \"forward\"\nread_only = true\n",
    ),
];

/// A request's fate, as the edge or as `explain` shows it.
#[derive(Debug, PartialEq)]
enum Fate {
    Refused {
        status: u16,
        body: Option<String>,
    },
    Preflight,
    Forwarded {
        method: String,
        target: String,
        headers: BTreeMap<String, String>,
        body: String,
    },
    /// Forwarded to the rest of the site.
    Site,
}

// === impl Fate ===

impl Fate {
    fn forget_host(&mut self) {
        if let Self::Forwarded { headers, .. } = self {
            headers.remove("x-forwarded-host");
        }
    }
}

// === the requests ===

/// A few hundred requests: recorded ones, the strict rules', and those about callers.
fn requests() -> Vec<Request> {
    let recorded = well_formed().into_iter().step_by(45).map(|(_, request)| request);
    let rules = RULES.lines().filter(|row| !row.starts_with('#')).step_by(3);
    let rules = rules.filter_map(|row| row.split('\t').nth(2)).map(request);
    let callers = ABOUT_CALLERS.iter().map(|text| request(text));
    recorded.chain(rules).chain(callers).filter(is_typable).collect()
}

/// True if a request can be typed: text without control characters, and no assumed content type.
fn is_typable(request: &Request) -> bool {
    let is_plain = |value: &HeaderValue| value.to_str().is_ok();
    let has_type = request.body.is_empty() || request.headers.contains_key("content-type");
    let is_text = std::str::from_utf8(&request.body).is_ok_and(|body| !body.contains('\0'));
    has_type
        && is_text
        && request.body.len() < 100_000
        && request.headers.values().all(is_plain)
        && !request.headers.contains_key("transfer-encoding")
        && !request.headers.contains_key("expect")
}

fn target(request: &Request) -> String {
    match &request.query {
        Some(query) => format!("{}?{query}", request.path),
        None => request.path.clone(),
    }
}

// === the edge ===

async fn sent(program: &Program, origin: &Origin, request: &Request) -> Fate {
    let mut raw = RawClient::connect(program.address).await;
    let mut lines = vec![format!("{} {} HTTP/1.1", request.method, target(request))];
    if !request.headers.contains_key("host") {
        lines.push(format!("Host: {}", program.address));
    }
    for (name, value) in &request.headers {
        lines.push(format!("{name}: {}", value.to_str().expect("text")));
    }
    if !request.body.is_empty() && !request.headers.contains_key("content-length") {
        lines.push(format!("Content-Length: {}", request.body.len()));
    }
    lines.push("Connection: close\r\n\r\n".to_owned());
    raw.send([lines.join("\r\n").into_bytes(), request.body.clone()].concat())
        .await;
    let is_head = request.method == "HEAD";
    let answer = if is_head {
        raw.head().await
    } else {
        raw.answer().await
    };
    match origin.take_seen().as_slice() {
        [] if answer.status == 204 => Fate::Preflight,
        [] => Fate::Refused {
            status: answer.status,
            body: (!is_head).then_some(answer.body),
        },
        [seen] if seen.header("accept-encoding") != Some("identity") => Fate::Site,
        [seen] => forwarded(seen),
        many => panic!("the origin saw {many:?}"),
    }
}

fn forwarded(seen: &Seen) -> Fate {
    Fate::Forwarded {
        method: seen.method.to_string(),
        target: seen.target.clone(),
        headers: shown(&seen.headers),
        body: String::from_utf8(seen.body.to_vec()).expect("text"),
    }
}

fn shown(headers: &HeaderMap) -> BTreeMap<String, String> {
    let shown = headers.iter().map(|(name, value)| {
        let value = match name.as_str() {
            secret if SECRET.contains(&secret) => "[redacted]",
            _ => value.to_str().expect("text"),
        };
        (name.to_string(), value.to_owned())
    });
    shown
        .filter(|(name, _)| !PASSING.contains(&name.as_str()))
        .collect()
}

// === the explanation ===

fn explained(admin: SocketAddr, authority: &str, request: &Request) -> Fate {
    let mut command = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
    command.args(["explain", "--json", "--admin", &format!("http://{admin}")]);
    command.args(["--header", &format!("Host: {authority}")]);
    for (name, value) in request.headers.iter().filter(|(name, _)| *name != "host") {
        let value = value.to_str().expect("text");
        command.args(["--header", &format!("{name}: {value}")]);
    }
    if !request.body.is_empty() {
        let body = std::str::from_utf8(&request.body).expect("text");
        command.arg(format!("--data={body}"));
    }
    command.args(["--", request.method.as_str(), &target(request)]);
    let output = command.output().expect("the program runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let story: Value = serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{request:?}: {error} {}", String::from_utf8_lossy(&output.stderr)));
    fate_of(&story, request)
}

async fn explained_by(program: &Program, authority: &str, request: &Request) -> Fate {
    let mut headers = vec![("host", authority)];
    let typed = request.headers.iter().filter(|(name, _)| *name != "host");
    headers.extend(typed.map(|(name, value)| (name.as_str(), value.to_str().expect("text"))));
    let typed = json!({
        "method": request.method.as_str(),
        "target": target(request),
        "headers": headers,
        "body": std::str::from_utf8(&request.body).expect("text"),
        "client": "127.0.0.1",
    });
    let asked = Edge::client().post(format!("http://{}/explain", program.admin));
    let story = Answer::to(asked.body(typed.to_string())).await.json();
    fate_of(&story, request)
}

fn fate_of(story: &Value, request: &Request) -> Fate {
    let of = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match story["outcome"].as_str() {
        Some("preflight") => Fate::Preflight,
        Some("site") => Fate::Site,
        Some("refused") => Fate::Refused {
            status: u16::try_from(story["response"]["status"].as_u64().expect("a status")).expect("a status"),
            body: (request.method != "HEAD").then(|| of(&story["response"]["body"])),
        },
        Some("forwarded") => forwarded_as_told(&story["request"]),
        other => panic!("{other:?} is not an outcome"),
    }
}

fn forwarded_as_told(story: &Value) -> Fate {
    let of = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let url: url::Url = of(&story["url"]).parse().expect("a URL");
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    let headers = story["headers"].as_array().expect("a list").iter();
    let headers = headers.map(|header| (of(&header[0]), of(&header[1])));
    Fate::Forwarded {
        method: of(&story["method"]),
        target: format!("{}{query}", url.path()),
        headers: headers
            .filter(|(name, _)| !PASSING.contains(&name.as_str()))
            .collect(),
        body: of(&story["body"]),
    }
}

// === the comparison ===

async fn agrees(name: &'static str, settings: &'static str) -> usize {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let directory = Directory::new(&format!("explained-{name}"));
    let config = directory.write("edge.toml", &configuration(settings, &origin));
    let program = Program::serve(&config).await;
    let (address, admin) = (program.address.to_string(), program.admin);
    let requests = requests();
    let told = requests.iter().map(|request| {
        let host = request.headers.get("host").and_then(|host| host.to_str().ok());
        let authority = host.unwrap_or(&address).to_owned();
        let (named, request) = (authority.clone(), request.clone());
        async move {
            let typed = tokio::task::spawn_blocking(move || explained(admin, &named, &request));
            (authority, typed.await.expect("no panic"))
        }
    });
    // The listener for operators takes few connections at once.
    let told: Vec<_> = stream::iter(told).buffered(4).collect().await;
    let mut wrong = Vec::new();
    for (request, (authority, told)) in requests.iter().zip(told) {
        let mut fates = [
            sent(&program, &origin, request).await,
            explained_by(&program, &authority, request).await,
            told,
        ];
        if request.headers.contains_key("host") {
            // Where a host is not believed, the edge names its own socket, which an explanation does not have.
            fates.iter_mut().for_each(Fate::forget_host);
        }
        let [sent, by_edge, told] = fates;
        if sent != told || sent != by_edge {
            wrong.push(format!(
                "{request:?}\n  the edge: {sent:?}\n  its explanation: {by_edge:?}\n  explain:  {told:?}"
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{name}: {} differ\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    requests.len()
}

fn configuration(settings: &str, origin: &Origin) -> String {
    format!(
        "listen = \"127.0.0.1:0\"\n{settings}\n\
         [origin]\nread_index = false\nurl = \"{}/wp-json\"\nnamespace = \"tribe/events/v1\"\ntunnel_delete = true\n\
         [admin]\nlisten = \"127.0.0.1:0\"\n[timeouts]\norigin_read = \"5s\"\n\
         [cache]\nenabled = false\n",
        origin.base()
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn explain_tells_what_the_edge_does() {
    let mut compared = 0;
    for (name, settings) in SETTINGS {
        compared += agrees(name, settings).await;
    }
    assert!(compared > 300, "{compared} are too few");
}
