//! Reading a request's body, within its size and its time.

use std::time::Duration;

use bytes::Bytes;
use http_body::Body;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use tokio::time::timeout;

use super::min_rate_body::MinRateBody;
use crate::backend::ExchangeFailure;
use crate::framing::Breach;
use crate::layers::{BodyError, ClientBody};
use crate::problem::{Cause, EdgeError, Problem, Refusal};
use crate::response::BoxError;
use crate::settings::{Limits, Timeouts};
use crate::telemetry::causes;

/// Maximum bytes of an unexpected body that are read so that the connection can be kept.
const UNWANTED_BYTES: usize = 64 * 1024;

/// Maximum time spent on an unexpected body.
const UNWANTED_TIME: Duration = Duration::from_secs(1);

/// The reason why a body could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum BodyFault {
    /// It is larger than allowed.
    #[error("the body is too large")]
    TooLarge,
    /// It did not come in time.
    #[error("the body came too slowly")]
    TooSlow,
    /// It ended early.
    #[error("the body is incomplete")]
    Incomplete,
    /// There is one where none is taken.
    #[error("a body on a read")]
    Unexpected,
    /// It broke its framing.
    #[error("the body is broken")]
    Broken(Breach),
    /// It is a form that may not pass.
    #[error("the form is refused")]
    Refused(Cause),
}

/// The whole body; one that says it is too large is not read at all.
pub(super) async fn read(body: ClientBody, limits: &Limits, timeouts: &Timeouts) -> Result<Bytes, BodyFault> {
    if body.size_hint().lower() > limits.body_bytes {
        return Err(BodyFault::TooLarge);
    }
    let most = usize::try_from(limits.body_bytes).unwrap_or(usize::MAX);
    let body = Limited::new(MinRateBody::new(body, limits, timeouts), most);
    let collected = timeout(timeouts.client_body, body.collect())
        .await
        .map_err(|_| BodyFault::TooSlow)?;
    collected
        .map(http_body_util::Collected::to_bytes)
        .map_err(|error| BodyFault::of(&error))
}

/// The presence of an unexpected body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unwanted {
    /// Nothing.
    Absent,
    /// At least a byte, or the announcement of one.
    Sent,
}

/// Reads and drops a small body. A large or slow one is left unread, which ends the connection.
///
/// After a broken one it is unclear where the request ends.
pub(super) async fn discard(body: ClientBody) -> Result<Unwanted, BodyFault> {
    if body.is_end_stream() {
        return Ok(Unwanted::Absent);
    }
    if body.size_hint().lower() > u64::try_from(UNWANTED_BYTES).unwrap_or(u64::MAX) {
        return Ok(Unwanted::Sent);
    }
    let limited = Limited::new(body, UNWANTED_BYTES);
    // Whether it came whole shows in the body's own state.
    match timeout(UNWANTED_TIME, limited.collect()).await {
        Ok(Ok(body)) => Ok(Unwanted::of(&body.to_bytes())),
        Ok(Err(error)) => match BodyFault::of(&error) {
            fault @ BodyFault::Broken(_) => Err(fault),
            _ => Ok(Unwanted::Sent),
        },
        Err(_) => Ok(Unwanted::Sent),
    }
}

impl Unwanted {
    const fn of(body: &Bytes) -> Self {
        if body.is_empty() { Self::Absent } else { Self::Sent }
    }
}

impl BodyFault {
    fn of(error: &BoxError) -> Self {
        if error.is::<LengthLimitError>() {
            return Self::TooLarge;
        }
        error.downcast_ref().map_or(Self::Incomplete, Self::from_client)
    }

    /// The fault of a client's body that ended an exchange which streamed it.
    pub(super) fn behind(failure: &ExchangeFailure) -> Option<Self> {
        causes(failure).find_map(|cause| cause.downcast_ref().map(Self::from_client))
    }

    pub(super) const fn from_client(error: &BodyError) -> Self {
        match error {
            BodyError::Broken(breach) => Self::Broken(*breach),
            BodyError::Ended(_) => Self::Incomplete,
            BodyError::Slow => Self::TooSlow,
            BodyError::Refused(cause) => Self::Refused(*cause),
        }
    }

    /// The refusal for the client.
    pub(super) fn refusal(self) -> Refusal {
        match self {
            Self::TooLarge => Refusal::edge(EdgeError::BodyTooLarge),
            Self::TooSlow => Refusal::edge(EdgeError::RequestTimeout),
            Self::Unexpected => Refusal::edge(EdgeError::UnexpectedBody),
            Self::Broken(breach) => breach.refusal(),
            Self::Incomplete => Refusal::edge(EdgeError::BadBody),
            Self::Refused(cause) => Refusal::plain(Problem::because(cause)),
        }
    }
}
