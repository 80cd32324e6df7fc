//! Replays every record through a real edge; the origin responds to each forwarded request as WordPress did.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use http::{Method, StatusCode};

use super::record::{Record, records};
use crate::support::{Edge, Origin, Reply};

/// The public URL of the edge under test.
const PUBLIC: &str = "https://events.example.org";

/// The result of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Came {
    /// Forwarded, and the client received WordPress's response.
    Forwarded,
    /// The edge responded in WordPress's words.
    Answered,
    /// Forwarded, and the response was not one of the API: a clean 502.
    Masked,
    /// Listed as an intended difference.
    Listed,
}

/// Replays one record; returns its result, or a description of the error.
async fn replay(edge: &Edge, origin: &Origin, next: &Mutex<Reply>, record: &Record) -> Result<Came, String> {
    *next.lock().expect("no test panics while holding it") = reply(record);
    let mut raw = edge.raw().await;
    raw.send(request(record)).await;
    let answer = if record.request.method == "HEAD" {
        raw.head().await
    } else {
        raw.answer().await
    };
    let seen = origin.take_seen();
    match seen.as_slice() {
        [] if same(record, answer.status, &answer.body) => Ok(Came::Answered),
        [] => Err(format!("the edge says {} {:.200}", answer.status, answer.body)),
        [only] => {
            let spelling = format!("{} {:?}", only.target, only.headers);
            for abuse in ["rest_route", "_method", "override", "_wpnonce"] {
                if spelling.contains(abuse) {
                    return Err(format!("{abuse} travelled: {spelling}"));
                }
            }
            if record.response.json().is_none() && only.method != Method::HEAD {
                let masked = answer.status == StatusCode::BAD_GATEWAY.as_u16();
                return if masked {
                    Ok(Came::Masked)
                } else {
                    Err(format!("{} for no JSON", answer.status))
                };
            }
            if answer.status == 502 && record.response.status == 500 {
                return Ok(Came::Masked);
            }
            if same(record, answer.status, &answer.body) {
                Ok(Came::Forwarded)
            } else {
                Err(format!("relayed {} {:.300}", answer.status, answer.body))
            }
        }
        many => Err(format!("the origin saw {} requests", many.len())),
    }
}

/// True if the client received WordPress's status and body, with the URLs of the API mapped.
fn same(record: &Record, status: u16, body: &str) -> bool {
    let body_matters = record.request.method != "HEAD";
    let recorded = record.response.body.as_deref().unwrap_or_default();
    status == record.response.status && (!body_matters || body == mapped(recorded))
}

/// The recorded body, as expected from the edge.
fn mapped(body: &str) -> String {
    let mut body = body.to_owned();
    for root in ["", "/de", "/da"] {
        let api = |base: &str| format!("{base}{root}/wp-json/tribe/events/v1");
        let (from, to) = (api("http://origin.example"), api(PUBLIC));
        body = body
            .replace(&from, &to)
            .replace(&from.replace('/', "\\/"), &to.replace('/', "\\/"));
        let encode = |url: &str| url.replace(':', "%3A").replace('/', "%2F");
        body = body.replace(&encode(&from), &encode(&to));
        // An index names its root.
        let index = |base: &str| format!("\"{base}{root}/wp-json/\"").replace('/', "\\/");
        body = body.replace(&index("http://origin.example"), &index(PUBLIC));
    }
    body
}

/// The origin's response: the recorded one, or a stand-in of its kind if the record is truncated.
fn reply(record: &Record) -> Reply {
    let response = &record.response;
    let media = match response.header("content-type") {
        Some(media) if media.starts_with("application/json") => "application/json; charset=UTF-8",
        Some(media) if media.starts_with("application/javascript") => "application/javascript; charset=UTF-8",
        _ => "text/html; charset=UTF-8",
    };
    let body = response.body.as_deref().unwrap_or_default();
    Reply::of_type(response.status, media, body).header(
        "link",
        "<http://origin.example/wp-json/>; rel=\"https://api.w.org/\"",
    )
}

/// The request byte for byte.
fn request(record: &Record) -> Vec<u8> {
    let sent = &record.request;
    let body = sent.body();
    let has = |name: &str| {
        sent.headers
            .iter()
            .any(|(known, _)| known.eq_ignore_ascii_case(name))
    };
    let mut lines = vec![format!("{} {} HTTP/1.1", sent.method, sent.target())];
    if !has("host") {
        lines.push("Host: events.example.org".to_owned());
    }
    lines.extend(
        sent.headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}")),
    );
    lines.extend(
        record
            .credentials()
            .into_iter()
            .map(|(name, value)| format!("{name}: {value}")),
    );
    if !has("transfer-encoding") && (!body.is_empty() || !matches!(sent.method.as_str(), "GET" | "HEAD")) {
        lines.push(format!("Content-Length: {}", body.len()));
    }
    lines.push("Connection: close\r\n\r\n".to_owned());
    [lines.join("\r\n").into_bytes(), body].concat()
}

/// The records with an intended difference, with the reason.
fn listed() -> HashMap<String, String> {
    let text =
        std::fs::read_to_string("fixtures/corpus/disagreements.tsv").expect("the list is in the repository");
    let rows = text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty());
    rows.map(|row| {
        let mut columns = row.split('\t').map(str::to_owned);
        (columns.next().expect("an id"), columns.next().expect("a reason"))
    })
    .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_record_gets_wordpress_answer_or_stands_in_the_list() {
    let next = Arc::new(Mutex::new(Reply::json(200, "{}")));
    let script = Arc::clone(&next);
    let origin =
        Origin::answering(move |_| script.lock().expect("no test panics while holding it").clone()).await;
    let builder = Edge::builder().origin(&origin).settings(|settings| {
        settings.public_url = Some(PUBLIC.parse().expect("a URL"));
        settings.namespaces = vec!["tribe/events/v1".to_owned()];
        settings.origin.advertised_url = Some("http://origin.example/wp-json".parse().expect("a URL"));
        for language in ["de", "da"] {
            let mut root = settings.roots[0].clone();
            root.path = format!("/{language}/wp-json");
            root.language = Some(language.to_owned());
            root.origin_url.set_path(&format!("/{language}/wp-json"));
            settings.roots.push(root);
        }
    });
    let edge = builder.start().await;
    let listed = listed();
    let mut counts: BTreeMap<(String, Came), usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for record in records() {
        let came = match replay(&edge, &origin, &next, &record).await {
            Ok(_) if listed.contains_key(&record.id) => {
                wrong.push(format!("{} is listed and agrees", record.id));
                continue;
            }
            Ok(came) => came,
            Err(_) if listed.contains_key(&record.id) => Came::Listed,
            Err(why) => {
                wrong.push(format!(
                    "{} {} {}: {why}",
                    record.id,
                    record.request.method,
                    record.request.target()
                ));
                continue;
            }
        };
        *counts.entry((record.area, came)).or_default() += 1;
    }
    println!("{}", report(&counts));
    assert!(
        wrong.is_empty(),
        "{} unlisted differences:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn report(counts: &BTreeMap<(String, Came), usize>) -> String {
    let by_area = counts
        .iter()
        .map(|((area, came), count)| format!("{area:20} {came:?} {count}"));
    let in_all = [Came::Forwarded, Came::Answered, Came::Masked, Came::Listed].map(|came| {
        let total: usize = counts
            .iter()
            .filter(|((_, c), _)| *c == came)
            .map(|(_, count)| count)
            .sum();
        format!("{came:?}: {total}")
    });
    by_area.chain(in_all).collect::<Vec<_>>().join("\n")
}
