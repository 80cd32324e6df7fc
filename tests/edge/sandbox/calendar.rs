//! A running calendar, a client that speaks to it, and the recorded bodies to compare with.

use std::net::Ipv4Addr;

use calendar_edge_sandbox::{Clock, Sandbox};
use jiff::Timestamp;
use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::Value;

use crate::support::Edge;

/// A running sandbox and a client that speaks to it.
pub(super) struct Calendar {
    pub(super) sandbox: Sandbox,
    pub(super) client: Client,
}

impl Calendar {
    pub(super) async fn open() -> Self {
        let noon: Timestamp = "2026-11-20T11:00:00Z".parse().expect("a moment");
        let address = (Ipv4Addr::LOCALHOST, 0).into();
        let sandbox = Sandbox::start_at(address, Clock::Fixed(noon))
            .await
            .expect("a free port");
        let client = Edge::client();
        Self { sandbox, client }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("{}/tribe/events/v1{path}", self.sandbox.rest_root())
    }

    pub(super) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, self.url(path))
    }

    pub(super) fn as_admin(&self, method: Method, path: &str) -> RequestBuilder {
        let (user, password) = (self.sandbox.username(), self.sandbox.password());
        self.request(method, path).basic_auth(user, Some(password))
    }

    pub(super) async fn get(&self, path: &str) -> (u16, Value) {
        answer(self.request(Method::GET, path)).await
    }

    /// A write by the administrator.
    pub(super) async fn write(&self, method: Method, path: &str, body: Value) -> (u16, Value) {
        let request = self
            .as_admin(method, path)
            .header("content-type", "application/json");
        answer(request.body(body.to_string())).await
    }
}

pub(super) async fn send(request: RequestBuilder) -> Response {
    request.send().await.expect("the sandbox answers")
}

pub(super) async fn answer(request: RequestBuilder) -> (u16, Value) {
    let response = send(request).await;
    let status = response.status().as_u16();
    let text = response.text().await.expect("a body");
    (
        status,
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("JSON, not {text}")),
    )
}

pub(super) fn recorded(name: &str) -> Value {
    let path = format!("{}/fixtures/backend/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the fixture is there");
    serde_json::from_str(&text).expect("the fixture is JSON")
}

/// Members in their order and JSON types; of a list its first item.
pub(super) fn shape(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "boolean".to_owned(),
        Value::Number(_) => "number".to_owned(),
        Value::String(_) => "string".to_owned(),
        Value::Array(items) => format!("[{}]", items.first().map(shape).unwrap_or_default()),
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(name, value)| format!("{name}:{}", shape(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
    }
}
