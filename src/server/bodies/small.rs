//! The body of a request to the edge itself, such as a purge: read whole, within a size and a time.

use std::time::Duration;

use bytes::Bytes;
use http_body::Body;
use tokio::time::timeout;

use super::collect::{CollectError, read_within};
use crate::server::response::BoxError;
use calendar_edge_core::errors;
use calendar_edge_judge::problem::Refusal;

/// The longest time of the body.
const BODY_TIME: Duration = Duration::from_secs(5);

/// The whole body of a request to the edge itself, within five seconds.
///
/// # Errors
///
/// When it is larger than `most`, late, or incomplete.
pub(crate) async fn read_small<B>(body: B, most: usize) -> Result<Bytes, Refusal>
where
    B: Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    let body = std::pin::pin!(body);
    let read = timeout(BODY_TIME, read_within(body, most)).await;
    let read = read.map_err(|_| errors::REQUEST_TIMEOUT.refusal())?;
    read.map_err(|error| match error {
        CollectError::TooLarge => errors::BODY_TOO_LARGE.refusal(),
        _ => errors::BAD_BODY.refusal(),
    })
}
