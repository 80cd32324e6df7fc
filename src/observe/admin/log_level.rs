//! `/log`: the filter of the log, and its change for a time.

use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use http_body::Body;
use http_body_util::{BodyExt, Limited};
use serde_json::json;
use tokio::time::timeout;

use super::explained::moment;
use crate::server::response::{BoxError, PlainResponse, json};
use crate::telemetry::LogFilter;
use calendar_edge_core::errors::EdgeError;

/// The most bytes of a filter.
const MOST_BYTES: usize = 4096;

/// The longest time that a filter may take to arrive.
const BODY_TIME: Duration = Duration::from_secs(5);

/// The longest time that a filter may last.
const LONGEST: Duration = Duration::from_hours(24);

/// Shows the filter in use and the configured one.
pub(super) fn show(filter: &LogFilter) -> PlainResponse {
    let shown = filter.shown();
    let document = json!({
        "filter": shown.current,
        "configured": shown.configured,
        "until": shown.until.map(moment),
    });
    json(StatusCode::OK, Bytes::from(document.to_string()))
}

/// Filters the log by the text of a body from now on: until the next reload, or for the time `for` of the query.
pub(super) async fn change<B>(filter: &LogFilter, query: Option<&str>, body: B) -> PlainResponse
where
    B: Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    match wish(query, body).await {
        Ok((text, lasting)) => match filter.adjust(&text, lasting) {
            Ok(()) => {
                tracing::info!(filter = text, "an operator filters the log");
                show(filter)
            }
            Err(error) => refused(&error.to_string()),
        },
        Err(reason) => refused(&reason),
    }
}

/// A filter and its time, or what is wrong with them.
async fn wish<B>(query: Option<&str>, body: B) -> Result<(String, Option<Duration>), String>
where
    B: Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    let lasting = lasting(query)?;
    let read = timeout(BODY_TIME, Limited::new(body, MOST_BYTES).collect()).await;
    let bytes = match read {
        Ok(Ok(collected)) => collected.to_bytes(),
        Ok(Err(_)) | Err(_) => {
            return Err(format!(
                "it did not arrive whole, or has more than {MOST_BYTES} bytes"
            ));
        }
    };
    let text = std::str::from_utf8(&bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    Ok((text.trim().to_owned(), lasting))
}

/// The time of the query's `for`: seconds, or a number with `s`, `m` or `h`.
fn lasting(query: Option<&str>) -> Result<Option<Duration>, String> {
    let mut parameters = query.unwrap_or_default().split('&');
    let Some(text) = parameters.find_map(|parameter| parameter.strip_prefix("for=")) else {
        return Ok(None);
    };
    let (number, unit) = match text.find(|c: char| !c.is_ascii_digit()) {
        Some(end) => text.split_at(end),
        None => (text, "s"),
    };
    let seconds = match unit {
        "s" => Some(1),
        "m" => Some(60),
        "h" => Some(3600),
        _ => None,
    };
    let time = seconds.and_then(|seconds| number.parse::<u64>().ok()?.checked_mul(seconds));
    let time = time.map(Duration::from_secs);
    match time.filter(|time| !time.is_zero() && *time <= LONGEST) {
        Some(time) => Ok(Some(time)),
        None => Err("`for` is no time from 1s to 24h, like 30s, 10m or 2h".to_owned()),
    }
}

fn refused(reason: &str) -> PlainResponse {
    let error = EdgeError::BadLogFilter;
    let document = json!({
        "code": error.code(),
        "message": format!("{} {reason}", error.entry().own.sentence),
        "data": {"status": error.status().as_u16()},
    });
    json(error.status(), Bytes::from(document.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_bounded() {
        for (query, expected) in [
            (None, Ok(None)),
            (Some("for=30"), Ok(Some(30))),
            (Some("a=b&for=10m"), Ok(Some(600))),
            (Some("for=24h"), Ok(Some(86_400))),
            (Some("for=25h"), Err(())),
            (Some("for=0s"), Err(())),
            (Some("for="), Err(())),
            (Some("for=m"), Err(())),
            (Some("for=99999999999999999999h"), Err(())),
        ] {
            let found = lasting(query).map(|time| time.map(|time| time.as_secs()));
            assert_eq!(found.map_err(|_| ()), expected, "{query:?}");
        }
    }
}
