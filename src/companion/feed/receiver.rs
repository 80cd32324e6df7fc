//! One receiver of changes: a signed request to it, and the meaning of its response.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue};
use reqwest::Client;

use crate::backend::{ClientError, own_headers, pauses, posting_client};
use crate::telemetry::{unix_time, with_causes};
use calendar_edge_core::companion::feed::{WEBHOOK_ID, WEBHOOK_SIGNATURE, WEBHOOK_TIME, webhook_signature};
use calendar_edge_core::settings::{MarkKey, WebhookSettings};

/// A receiver, and the way to it.
#[derive(Debug)]
pub(super) struct Receiver {
    client: Client,
    /// In logs and metrics: its address may be secret.
    pub(super) name: Arc<str>,
    pub(super) settings: WebhookSettings,
    secret: MarkKey,
}

/// A request that the receiver did not take.
#[derive(Debug)]
pub(super) struct NotTaken {
    /// The reason, without the receiver's address.
    pub(super) reason: String,
    /// The pause that the receiver demands.
    pub(super) pause: Option<Duration>,
}

// === impl Receiver ===

impl Receiver {
    /// A receiver; none if its secret was not read.
    ///
    /// # Errors
    ///
    /// When TLS or the client cannot be set up.
    pub(super) fn new(settings: &WebhookSettings) -> Result<Option<Self>, ClientError> {
        let Some(secret) = settings.secret.clone() else {
            return Ok(None);
        };
        Ok(Some(Self {
            client: posting_client(&settings.url, settings.timeout)?,
            name: settings.name().into(),
            settings: settings.clone(),
            secret,
        }))
    }

    /// Posts a message. Every status from 200 to 299 confirms it; the rest of the response does not matter.
    pub(super) async fn post(&self, id: &str, body: Bytes) -> Result<(), NotTaken> {
        let headers = self.headers(id, &body);
        let request = self.client.post(self.settings.url.clone()).headers(headers);
        match request.body(body).send().await {
            Ok(answer) if answer.status().is_success() => Ok(()),
            Ok(answer) => Err(NotTaken {
                reason: format!("status {}", answer.status()),
                pause: pauses::demanded(answer.headers()),
            }),
            Err(error) => Err(NotTaken {
                reason: with_causes(&error.without_url()),
                pause: None,
            }),
        }
    }

    fn headers(&self, id: &str, body: &[u8]) -> HeaderMap {
        let now = unix_time().as_secs();
        let mut headers = own_headers(None);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Ok(id) = HeaderValue::try_from(id) {
            headers.insert(WEBHOOK_ID, id);
        }
        headers.insert(WEBHOOK_TIME, HeaderValue::from(now));
        headers.insert(WEBHOOK_SIGNATURE, webhook_signature(&self.secret, id, now, body));
        headers
    }
}
