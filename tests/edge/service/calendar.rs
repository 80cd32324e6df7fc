//! A running calendar, and a client that speaks to it.

use std::net::Ipv4Addr;

use calendar_service::CalendarServer;
use jiff::Timestamp;
use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::Value;

use crate::support::Edge;

/// A running calendar and a client that speaks to it.
pub(super) struct Calendar {
    pub(super) server: CalendarServer,
    client: Client,
}

impl Calendar {
    pub(super) async fn open() -> Self {
        let noon: Timestamp = "2026-11-20T11:00:00Z".parse().expect("a moment");
        let address = (Ipv4Addr::LOCALHOST, 0).into();
        let server = CalendarServer::start_sample(address, Some(noon), None)
            .await
            .expect("a free port");
        let client = Edge::client();
        Self { server, client }
    }

    fn url(&self, path: &str) -> String {
        format!("{}/tribe/events/v1{path}", self.server.rest_root())
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, self.url(path))
    }

    pub(super) async fn get(&self, path: &str) -> (u16, Value) {
        answer(self.request(Method::GET, path)).await
    }
}

async fn send(request: RequestBuilder) -> Response {
    request.send().await.expect("the calendar answers")
}

async fn answer(request: RequestBuilder) -> (u16, Value) {
    let response = send(request).await;
    let status = response.status().as_u16();
    let text = response.text().await.expect("a body");
    (
        status,
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("JSON, not {text}")),
    )
}
