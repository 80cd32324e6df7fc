//! Responses of a scripted origin, and their timing.

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderName, HeaderValue, Response, StatusCode};
use http_body_util::Full;
use tokio::sync::watch;

/// One response of an origin.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    response: Response<Full<Bytes>>,
    gate: Option<Gate>,
}

/// Delays responses until it is opened, and counts those that wait.
#[derive(Debug, Clone)]
pub(crate) struct Gate {
    reached: watch::Sender<usize>,
    open: watch::Sender<bool>,
}

// === impl Reply ===

impl Reply {
    /// A JSON response.
    pub(crate) fn json(status: u16, body: &str) -> Self {
        Self::of_type(status, "application/json; charset=UTF-8", body)
    }

    /// A response of any type.
    pub(crate) fn of_type(status: u16, media_type: &'static str, body: &str) -> Self {
        let mut response = Response::new(Full::from(Bytes::copy_from_slice(body.as_bytes())));
        *response.status_mut() = StatusCode::from_u16(status).expect("a status");
        response
            .headers_mut()
            .insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        Self { response, gate: None }
    }

    /// The same with one more header field.
    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        let headers = self.response.headers_mut();
        let value = HeaderValue::from_str(value).expect("a header value");
        headers.append(HeaderName::from_static(name), value);
        self
    }

    /// The same, sent when the gate is open.
    pub(crate) fn behind(mut self, gate: &Gate) -> Self {
        self.gate = Some(gate.clone());
        self
    }

    pub(super) async fn play(self) -> Response<Full<Bytes>> {
        if let Some(gate) = &self.gate {
            gate.pass().await;
        }
        self.response
    }
}

// === impl Gate ===

impl Gate {
    /// A closed gate.
    pub(crate) fn closed() -> Self {
        Self {
            reached: watch::Sender::new(0),
            open: watch::Sender::new(false),
        }
    }

    /// Opens the gate for all responses.
    pub(crate) fn open(&self) {
        self.open.send_replace(true);
    }

    /// Waits until this number of responses has reached the gate.
    pub(crate) async fn reached_by(&self, answers: usize) {
        let mut reached = self.reached.subscribe();
        reached
            .wait_for(|reached| *reached >= answers)
            .await
            .expect("the gate lives as long as its test");
    }

    async fn pass(&self) {
        self.reached.send_modify(|reached| *reached += 1);
        let mut open = self.open.subscribe();
        open.wait_for(|open| *open)
            .await
            .expect("the gate lives as long as its test");
    }
}
