//! Rules about the rest of the site (`[[surface]]`), held over sockets.

mod bodies;
mod commands;
mod editor_day;
mod rates;
mod second_api;
mod spellings;
mod verdicts;

use calendar_edge::config::{Overrides, parse};
use calendar_edge_core::settings::{OriginNamespace, OtherTraffic, Settings};
use calendar_edge_judge::contract::PLUGIN_NAMESPACE;

use crate::support::{Edge, Origin, RawAnswer, Reply};

/// A rule that closes a preset to everybody.
const USERS: &str = "[[surface]]\nroutes = [\"users\"]\ncallers = \"nobody\"\nmode = \"enforce\"\n";

/// Settings with the rules of a file.
fn ruled(mut settings: Settings, rules: &str) -> Settings {
    let file = format!("other = \"forward\"\norigin.url = \"http://wp.example/wp-json\"\n{rules}");
    let read = parse("edge.toml", &file, &Overrides::default()).expect("rules");
    settings.other = OtherTraffic::Forward;
    settings.origin.namespace = OriginNamespace::set(PLUGIN_NAMESPACE);
    settings.surface = read.surface;
    settings.surface_default = read.surface_default;
    settings
}

/// A site that responds to everything, and an edge with these rules before it.
async fn site_behind(rules: &str) -> (Origin, Edge) {
    let origin = Origin::always(Reply::json(200, "{\"from\":\"site\"}")).await;
    let builder = Edge::builder().origin(&origin);
    let edge = builder.settings(|settings| *settings = ruled(settings.clone(), rules));
    let edge = edge.start().await;
    (origin, edge)
}

/// The response to a request that is written as `METHOD TARGET | Header: value | body`.
async fn answer(edge: &Edge, request: &str) -> RawAnswer {
    let mut parts = request.split(" | ");
    let line = parts.next().expect("a method and a target");
    let (mut fields, mut body) = (String::new(), "");
    for part in parts {
        match part.split_once(": ") {
            Some(_) => fields.extend([part, "\r\n"]),
            None => body = part,
        }
    }
    let length = body.len();
    let head = format!("{line} HTTP/1.1\r\nHost: localhost\r\n{fields}Content-Length: {length}\r\n\r\n");
    edge.raw()
        .await
        .send(format!("{head}{body}"))
        .await
        .answer()
        .await
}

/// The status and the code of a response; `site` where the site responded.
fn told(answer: &RawAnswer) -> (u16, String) {
    let body: serde_json::Value = serde_json::from_str(&answer.body).unwrap_or_default();
    let code = body["code"].as_str().or(body["from"].as_str());
    (answer.status, code.unwrap_or("page").to_owned())
}

/// The value of a counter of a rule.
async fn count(edge: &Edge, rule: &str, outcome: &str) -> u32 {
    let series = format!("edge_surface_requests_total{{rule=\"{rule}\",outcome=\"{outcome}\"}}");
    let value = edge.metric(&series).await;
    value.map_or(0, |value| value.parse().expect("a number"))
}
