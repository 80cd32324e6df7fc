//! The collector: one request to it, and the meaning of its response.

use bytes::Bytes;
use http::StatusCode;
use http::header::CONTENT_TYPE;
use prost::Message as _;
use reqwest::Client;
use std::time::Duration;
use url::Url;

use super::messages::{ExportResponse, RefusalStatus};
use crate::backend::{ClientError, own_headers, pauses, posting_client};
use crate::server::bodies::read_within;
use crate::telemetry::with_causes;
use calendar_edge_core::settings::TraceSettings;

/// A collector that takes OTLP over HTTP.
#[derive(Debug)]
pub(super) struct SpanCollector {
    client: Client,
    /// Where spans are sent.
    pub(super) url: Url,
}

/// The outcome of a request to it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Delivery {
    /// It took the spans but these, and may give a reason.
    Taken { rejected: u64, message: String },
    /// It did not, but may do so later.
    NotNow {
        reason: String,
        /// The pause that it demands.
        pause: Option<Duration>,
    },
    /// It never will.
    Refused { reason: String },
}

/// The path below the base URL.
const PATH: [&str; 2] = ["v1", "traces"];

/// Maximum bytes of a response that are read.
const MOST_BYTES: usize = 64 * 1024;

/// Maximum characters of a collector's words in a log line.
const LONGEST: usize = 256;

// === impl SpanCollector ===

impl SpanCollector {
    /// The collector at this base URL.
    ///
    /// # Errors
    ///
    /// When TLS or the client cannot be set up.
    pub(super) fn new(base: &Url, settings: &TraceSettings) -> Result<Self, ClientError> {
        let mut url = base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(PATH);
        }
        Ok(Self {
            client: posting_client(base, settings.timeout)?,
            url,
        })
    }

    /// Sends one request of encoded spans.
    pub(super) async fn send(&self, body: Bytes) -> Delivery {
        let request = self.client.post(self.url.clone()).headers(own_headers(None));
        let request = request.header(CONTENT_TYPE, "application/x-protobuf");
        match request.body(body).send().await {
            Ok(response) => read(response).await,
            Err(error) => Delivery::NotNow {
                reason: with_causes(&error.without_url()),
                pause: None,
            },
        }
    }
}

async fn read(response: reqwest::Response) -> Delivery {
    let (status, pause) = (response.status(), pauses::demanded(response.headers()));
    let body = read_within(reqwest::Body::from(response), MOST_BYTES).await;
    let body = body.unwrap_or_default();
    judge(status, pause, &body)
}

/// The meaning of a response; a body that is none of OTLP's has none.
fn judge(status: StatusCode, pause: Option<Duration>, body: &[u8]) -> Delivery {
    if status.is_success() {
        let told = ExportResponse::decode(body).unwrap_or_default();
        let told = told.partial_success.unwrap_or_default();
        return Delivery::Taken {
            rejected: u64::try_from(told.rejected_spans).unwrap_or_default(),
            message: cut(&told.error_message),
        };
    }
    let reason = match RefusalStatus::decode(body) {
        Ok(told) if !told.message.is_empty() => format!("status {status}: {}", cut(&told.message)),
        Ok(_) | Err(_) => format!("status {status}"),
    };
    match status.as_u16() {
        429 | 502..=504 => Delivery::NotNow { reason, pause },
        _ => Delivery::Refused { reason },
    }
}

/// A collector's message for the log: cut, on one line, without control characters for terminals.
fn cut(text: &str) -> String {
    text.escape_debug().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::messages::PartialSuccess;
    use super::*;

    #[test]
    fn spans_go_below_the_base() {
        for (base, expected) in [
            ("http://c.example:4318", "http://c.example:4318/v1/traces"),
            ("http://c.example/otlp", "http://c.example/otlp/v1/traces"),
        ] {
            let collector = SpanCollector::new(&base.parse().unwrap(), &TraceSettings::default()).unwrap();
            assert_eq!(collector.url.as_str(), expected);
        }
    }

    #[test]
    fn statuses_mean_what_the_protocol_says() {
        for (status, may_pass) in [
            (429, true),
            (502, true),
            (503, true),
            (504, true),
            (301, false),
            (400, false),
            (401, false),
            (404, false),
            (413, false),
            (500, false),
            (501, false),
        ] {
            let status = StatusCode::from_u16(status).unwrap();
            let is_later = matches!(judge(status, None, b""), Delivery::NotNow { .. });
            assert_eq!(is_later, may_pass, "{status}");
        }
    }

    proptest! {
        #[test]
        fn no_answer_panics_or_writes_more_than_a_line(status in 200_u16..600, body in prop::collection::vec(any::<u8>(), 0..200)) {
            let status = StatusCode::from_u16(status).unwrap();
            match judge(status, None, &body) {
                Delivery::Taken { message: told, .. } | Delivery::NotNow { reason: told, .. } | Delivery::Refused { reason: told } => {
                    prop_assert!(told.chars().all(|letter| !letter.is_control()), "{}", told);
                    prop_assert!(told.chars().count() < LONGEST + 80);
                }
            }
        }
    }

    #[test]
    fn the_collectors_words_are_told_without_control_characters() {
        let body = RefusalStatus {
            message: "no\n\x1b[2Jtoken".to_owned(),
        };
        let expected = Delivery::Refused {
            reason: "status 401 Unauthorized: no\\n\\u{1b}[2Jtoken".to_owned(),
        };
        assert_eq!(
            judge(StatusCode::UNAUTHORIZED, None, &body.encode_to_vec()),
            expected
        );
        let body = ExportResponse {
            partial_success: Some(PartialSuccess {
                rejected_spans: 2,
                error_message: "x".repeat(1000),
            }),
        };
        let expected = Delivery::Taken {
            rejected: 2,
            message: "x".repeat(LONGEST),
        };
        assert_eq!(judge(StatusCode::OK, None, &body.encode_to_vec()), expected);
        for odd in [&b"{}"[..], b"", b"\xff\xff"] {
            let expected = Delivery::Taken {
                rejected: 0,
                message: String::new(),
            };
            assert_eq!(judge(StatusCode::OK, None, odd), expected);
        }
    }
}
