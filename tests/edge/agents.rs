//! Reads of the calendar as tools of the Model Context Protocol, through real sockets.

use std::collections::BTreeSet;
use std::time::Duration;

use calendar_edge_core::settings::{OtherTraffic, Rate, Settings};
use calendar_edge_judge::contract::{Action, table};
use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{Answer, Edge, Fate, Origin, Reply, Seen};

const MCP: &str = "/wp-json/calendar-edge/v1/mcp";

const LIST: &str = r#"{"events":[{"id":50}],"total":1}"#;

async fn origin() -> Origin {
    Origin::answering(|seen| match seen.target.as_str() {
        "/wp-json/tribe/events/v1/events/9" => {
            Reply::json(404, r#"{"code":"event-not-found","message":"None."}"#)
        }
        _ => Reply::json(200, LIST),
    })
    .await
}

/// The questions about the calendar: beside it, the edge asks for the site's time zone.
fn asked(origin: &Origin) -> Vec<Seen> {
    let mut seen = origin.seen();
    seen.retain(|seen| seen.target.contains("/tribe/events/v1"));
    seen
}

async fn edge(origin: &Origin, change: impl FnOnce(&mut Settings)) -> Edge {
    let edge = Edge::builder().origin(origin).caching().settings(|settings| {
        settings.cache.fresh = Duration::from_hours(1);
        settings.agents.mcp = true;
    });
    edge.settings(change).start().await
}

async fn post(edge: &Edge, body: impl Into<String>) -> Answer {
    Answer::to(edge.request(Method::POST, MCP).body(body.into())).await
}

fn request(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

/// The result of a request.
async fn result(edge: &Edge, method: &str, params: Value) -> Value {
    let answer = post(edge, request(method, &params)).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    let answer = answer.json();
    assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(1)));
    answer["result"].clone()
}

async fn call(edge: &Edge, tool: &str, arguments: Value) -> Value {
    result(edge, "tools/call", json!({"name": tool, "arguments": arguments})).await
}

/// What a tool says that did not succeed.
async fn failure(edge: &Edge, tool: &str, arguments: Value) -> Value {
    let failed = call(edge, tool, arguments).await;
    assert_eq!(failed["isError"], true, "{tool}: {failed}");
    assert!(failed.get("structuredContent").is_none());
    serde_json::from_str(failed["content"][0]["text"].as_str().expect("a text")).expect("JSON")
}

#[tokio::test]
async fn a_client_shakes_hands_in_its_revision_or_the_newest() {
    let edge = edge(&origin().await, |_| {}).await;
    for (wanted, given) in [
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2024-11-05", "2025-11-25"),
    ] {
        let hello = result(&edge, "initialize", json!({"protocolVersion": wanted})).await;
        assert_eq!(hello["protocolVersion"], given);
        assert_eq!(hello["capabilities"], json!({"tools": {}}));
    }
    assert_eq!(result(&edge, "ping", json!({})).await, json!({}));
    let heard = post(&edge, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    assert_eq!((heard.status, heard.body.as_str()), (StatusCode::ACCEPTED, ""));
}

#[tokio::test]
async fn messages_that_describe_themselves_need_no_handshake() {
    let edge = edge(&origin().await, |_| {}).await;
    let meta = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}});
    let ask = |method: &'static str, version: &'static str, named: &'static str| {
        let asked = edge.request(Method::POST, MCP).body(request(method, &meta));
        let asked = asked.header("mcp-protocol-version", version);
        Answer::to(asked.header("mcp-method", named))
    };
    let found = ask("server/discover", "2026-07-28", "server/discover")
        .await
        .json();
    assert_eq!(found["result"]["supportedVersions"][0], "2026-07-28");
    for (method, version, named, code, status) in [
        ("prompts/list", "2026-07-28", "prompts/list", -32601, 404),
        ("tools/list", "2026-07-28", "tools/call", -32020, 400),
        ("tools/list", "2025-11-25", "tools/list", -32020, 400),
    ] {
        let refused = ask(method, version, named).await;
        assert_eq!(refused.json()["error"]["code"], code);
        assert_eq!(refused.status.as_u16(), status);
    }
    let strange = edge.request(Method::POST, MCP).body(request("ping", &json!({})));
    let strange = Answer::to(strange.header("mcp-protocol-version", "1999-01-01")).await;
    assert_eq!(strange.json()["error"]["code"], -32022);
}

#[tokio::test]
async fn tools_are_the_reads_of_the_table_that_the_settings_allow() {
    let origin = origin().await;
    let reads = || {
        let reads = table().operations().iter();
        reads.filter(|operation| matches!(operation.id.action, Action::List | Action::Read))
    };
    let first = reads().next().expect("a read");
    let names = async |edge: &Edge| -> BTreeSet<String> {
        let listed = result(edge, "tools/list", json!({})).await;
        let tools = listed["tools"].as_array().expect("a list").clone();
        assert!(
            tools
                .iter()
                .all(|tool| tool["annotations"]["readOnlyHint"] == true)
        );
        assert!(tools.iter().all(|tool| tool["inputSchema"]["type"] == "object"));
        let name = |tool: &Value| tool["name"].as_str().expect("a name").to_owned();
        tools.iter().map(name).collect()
    };
    let expected: BTreeSet<String> = reads().map(|read| read.name.replace(['.', '-'], "_")).collect();
    assert_eq!(names(&edge(&origin, |_| {}).await).await, expected);
    let refusing = edge(&origin, |settings| {
        settings.operations.entry(first.id).or_default().allow = false;
    });
    assert_eq!(names(&refusing.await).await.len(), expected.len() - 1);
}

#[tokio::test]
async fn a_call_is_judged_and_answered_from_the_cache_like_a_read() {
    let origin = origin().await;
    let edge = edge(&origin, |_| {}).await;
    let arguments = json!({"per_page": 2, "search": "a&page=3", "categories": [4, 5]});
    let first = call(&edge, "events_list", arguments.clone()).await;
    assert_eq!(
        first["structuredContent"],
        serde_json::from_str::<Value>(LIST).expect("JSON")
    );
    assert_eq!(first["content"], json!([{"type": "text", "text": LIST}]));
    assert_eq!(first["isError"], false);
    assert_eq!(call(&edge, "events_list", arguments).await, first);
    let read = "/wp-json/tribe/events/v1/events?per_page=2&search=a%26page%3D3&categories=4%2C5";
    let hit = edge.get(&read.replace("tribe", "calendar")).await;
    let status = hit.header("cache-status").expect("Cache-Status");
    assert!(status.starts_with("calendar-edge; hit"), "{status}");
    let seen = asked(&origin).remove(0);
    assert_eq!(asked(&origin).len(), 1);
    assert_eq!(seen.method, Method::GET);
    assert!(seen.target.contains("a%26page%3D3"), "{}", seen.target);
    assert_eq!(
        call(&edge, "events_read", json!({"id": 50})).await["isError"],
        false
    );
    assert_eq!(asked(&origin)[1].target, "/wp-json/tribe/events/v1/events/50");
}

#[tokio::test]
async fn credentials_of_an_agent_go_nowhere() {
    let origin = origin().await;
    let edge = edge(&origin, |_| {}).await;
    let body = request("tools/call", &json!({"name": "events_list"}));
    let sent = edge.request(Method::POST, MCP).body(body);
    let sent = sent
        .header("authorization", "Basic eDp5")
        .header("x-wp-nonce", "abc");
    let sent = sent.header("cookie", "wordpress_logged_in_x=a%7C1%7Cb%7Cc");
    assert_eq!(Answer::to(sent).await.json()["result"]["isError"], false);
    let seen = asked(&origin).remove(0);
    for name in ["authorization", "cookie", "x-wp-nonce"] {
        assert_eq!(seen.header(name), None, "{name}");
    }
    assert!(seen.body.is_empty());
}

#[tokio::test]
async fn a_failure_is_told_in_the_words_of_the_calendar() {
    let origin = origin().await;
    let edge = edge(&origin, |_| {}).await;
    assert_eq!(
        failure(&edge, "events_list", json!({"page": -1})).await["code"],
        "rest_invalid_param"
    );
    assert!(asked(&origin).is_empty());
    assert_eq!(
        failure(&edge, "events_read", json!({"id": 9})).await["code"],
        "event-not-found"
    );
    for (tool, arguments) in [
        ("events_list", json!({"rest_route": "/wp/v2/users"})),
        ("events_list", json!({"password": "x"})),
        ("events_list", json!({"search": {"a": 1}})),
        ("events_read", json!({})),
        ("events_read", json!({"id": "../venues"})),
        ("events_read", json!({"id": "by-slug/x"})),
        ("events_read", json!({"id": "7?rest_route=/wp/v2/users"})),
        ("events_read", json!({"id": ""})),
        ("events_list", json!({"search": "x".repeat(60_000)})),
    ] {
        failure(&edge, tool, arguments).await;
    }
    assert_eq!(asked(&origin).len(), 1);
}

#[tokio::test]
async fn an_answer_that_is_too_long_is_refused_with_a_hint() {
    let origin = Origin::answering(|seen| {
        let kib = if seen.target.contains("search=long") {
            1100
        } else {
            100
        };
        Reply::json(
            200,
            &json!({"events": [], "filler": "x".repeat(kib << 10)}).to_string(),
        )
    })
    .await;
    let roomy = edge(&origin, |_| {}).await;
    assert_eq!(call(&roomy, "events_list", json!({})).await["isError"], false);
    let full = edge(&origin, |settings| settings.limits.response_buffer_total = 0).await;
    for (edge, search, hint) in [
        (&roomy, "long", "`per_page`"),
        (&full, "short", "try again later"),
    ] {
        let message = failure(edge, "events_list", json!({"search": search})).await["message"].to_string();
        assert!(message.contains(hint), "{message}");
    }
}

#[tokio::test]
async fn what_waits_for_a_slow_client_counts_as_buffered() {
    let filler = json!({"events": [], "filler": "x".repeat(100 << 10)}).to_string();
    let origin = Origin::always(Reply::json(200, &filler)).await;
    let edge = edge(&origin, |_| {}).await;
    let mut slow = edge.frames().await;
    let body = request("tools/call", &json!({"name": "events_list"}));
    let fate = slow.unread("POST", MCP, Some(body.as_bytes())).await;
    assert_eq!(fate, Fate::Answered(200));
    assert!(edge.held_bytes().await > 200 << 10);
}

#[tokio::test]
async fn hostile_messages_get_errors_of_the_protocol() {
    let origin = origin().await;
    let edge = edge(&origin, |_| {}).await;
    let deep = "[".repeat(10_000);
    for (body, code) in [
        ("", -32700),
        ("{", -32700),
        (deep.as_str(), -32700),
        ("[]", -32600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
        ("7", -32600),
        (r#"{"id":1,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
        (
            r#"{"jsonrpc":"2.0","id":18446744073709551616,"method":"ping"}"#,
            -32600,
        ),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, -32602),
        (r#"{"jsonrpc":"2.0","id":1,"method":"events.create"}"#, -32601),
        (&request("tools/call", &json!({"name": "events_create"})), -32602),
        (&request("tools/call", &json!({})), -32602),
        (
            &request("tools/call", &json!({"name": "events_list", "arguments": [1]})),
            -32602,
        ),
    ] {
        let answer = post(&edge, body).await;
        assert_eq!(answer.json()["error"]["code"], code, "{body}");
    }
    let long = post(&edge, " ".repeat(100_000)).await;
    assert_eq!(long.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(long.json()["error"]["code"], -32600);
    let most = post(
        &edge,
        format!(r#"{{"jsonrpc":"2.0","id":{},"method":"ping"}}"#, u64::MAX),
    )
    .await;
    assert_eq!(most.json()["id"], u64::MAX);
    let unset = call(&edge, "events_list", Value::Null).await;
    assert_eq!(unset["isError"], false);
}

#[tokio::test]
async fn other_methods_and_strange_pages_are_refused() {
    let edge = edge(&origin().await, |settings| {
        settings.cors.credentialed_origins = vec!["https://app.example".parse().expect("a value")];
    })
    .await;
    let get = edge.get(MCP).await;
    assert_eq!(get.status, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(get.header("allow"), Some("POST"));
    for (origin, status) in [
        ("https://app.example", StatusCode::OK),
        ("http://evil.example", StatusCode::FORBIDDEN),
        ("null", StatusCode::FORBIDDEN),
    ] {
        let asked = edge.request(Method::POST, MCP).header("origin", origin);
        let answer = Answer::to(asked.body(request("ping", &json!({})))).await;
        assert_eq!(answer.status, status, "{origin}");
    }
}

#[tokio::test]
async fn a_browser_learns_that_a_listed_page_may_call() {
    let origin = origin().await;
    let edge = edge(&origin, |settings| {
        settings.other = OtherTraffic::Forward;
        settings.cors.credentialed_origins = vec!["https://app.example".parse().expect("a value")];
    })
    .await;
    for (page, is_allowed) in [("https://app.example", true), ("https://evil.example", false)] {
        let asked = edge.request(Method::OPTIONS, MCP).header("origin", page);
        let asked = asked.header("access-control-request-method", "POST");
        let answer = Answer::to(asked.header("access-control-request-headers", "mcp-protocol-version")).await;
        assert_eq!(answer.status, StatusCode::NO_CONTENT);
        let names = answer.header("access-control-allow-headers");
        let is_named = names.is_some_and(|names| names.contains("MCP-Protocol-Version"));
        assert_eq!(is_named, is_allowed, "{page}");
    }
    assert!(origin.seen().iter().all(|seen| seen.method != Method::OPTIONS));
}

#[tokio::test]
async fn messages_and_what_they_read_count_toward_the_rates_of_the_client() {
    let origin = origin().await;
    let rate = |requests| {
        Some(Rate {
            requests,
            period: Duration::from_mins(1),
        })
    };
    let edge = edge(&origin, |settings| {
        settings.rate_limits.address.items = rate(3);
        settings.rate_limits.address.lists = rate(1);
    })
    .await;
    assert_eq!(call(&edge, "events_list", json!({})).await["isError"], false);
    assert_eq!(
        failure(&edge, "events_list", json!({"page": 2})).await["code"],
        "edge_rate_limited"
    );
    result(&edge, "ping", json!({})).await;
    let refused = post(&edge, request("ping", &json!({}))).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(asked(&origin).len(), 1);
}

#[tokio::test]
async fn without_the_setting_there_is_no_such_route() {
    let edge = edge(&origin().await, |settings| settings.agents.mcp = false).await;
    let answer = post(&edge, request("ping", &json!({}))).await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (StatusCode::NOT_FOUND, "rest_no_route")
    );
}
