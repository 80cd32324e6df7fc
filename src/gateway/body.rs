//! Reading a request's body, within its size and its time.

use std::time::Duration;

use bytes::Bytes;
use http_body::Body;
use http_body_util::BodyExt;
use tokio::time::timeout;

use crate::backend::ExchangeFailure;
use crate::gateway::site::min_rate_body::MinRateBody;
use crate::layers::{BodyError, ClientBody};
use crate::layers::{EdgeResponse, refused};
use crate::server::bodies::{BodyBudget, CollectError, Collector};
use crate::telemetry::causes;
use calendar_edge_core::errors;
use calendar_edge_core::settings::{Limits, Timeouts};

/// Reads bodies whole, each within its size, its rate and its time, and all within one budget.
#[derive(Debug, Clone)]
pub(super) struct BodyReader {
    limits: Limits,
    timeouts: Timeouts,
    budget: BodyBudget,
}

/// Maximum bytes of an unexpected body that are read so that the connection can be kept.
const UNWANTED_BYTES: usize = 64 * 1024;

/// Maximum time spent on a body that is not needed.
const UNWANTED_TIME: Duration = Duration::from_secs(1);

/// The reason why a body is not taken.
pub(super) type BodyFault = CollectError<BodyError>;

/// Reads and drops a small body. A large or slow one is left unread, which ends the connection.
///
/// After a broken one it is unclear where the request ends. Returns true if there was at least a byte, or the
/// announcement of one.
pub(super) async fn discard(mut body: ClientBody) -> Result<bool, BodyFault> {
    if body.is_end_stream() {
        return Ok(false);
    }
    if body.size_hint().lower() > u64::try_from(UNWANTED_BYTES).unwrap_or(u64::MAX) {
        return Ok(true);
    }
    // The body's own state shows if it came whole.
    match timeout(UNWANTED_TIME, drop_all(&mut body)).await {
        Ok(dropped) => dropped,
        Err(_) => Ok(true),
    }
}

async fn drop_all(body: &mut ClientBody) -> Result<bool, BodyFault> {
    let mut bytes = 0;
    while let Some(frame) = body.frame().await {
        match frame {
            Ok(frame) => bytes += frame.data_ref().map_or(0, Bytes::len),
            Err(error @ BodyError::Broken(_)) => return Err(CollectError::Body(error)),
            Err(BodyError::Ended(_) | BodyError::Slow | BodyError::GivenUp | BodyError::Refused(_)) => {
                return Ok(true);
            }
        }
        if bytes > UNWANTED_BYTES {
            return Ok(true);
        }
    }
    Ok(bytes > 0)
}

// === impl BodyReader ===

impl BodyReader {
    pub(super) fn new(limits: &Limits, timeouts: &Timeouts, budget: &BodyBudget) -> Self {
        Self {
            limits: limits.clone(),
            timeouts: timeouts.clone(),
            budget: budget.clone(),
        }
    }

    /// The whole body of at most so many bytes; one that announces more is not read at all.
    ///
    /// Its bytes count toward the budget until the last reference to them is dropped.
    pub(super) async fn read(&self, body: ClientBody, most: u64) -> Result<Bytes, BodyFault> {
        self.read_within(body, most, self.timeouts.client_body).await
    }

    /// A body that is not needed; none: it is longer, or does not come at once, and is left.
    ///
    /// After a broken one it is unclear where the request ends.
    pub(super) async fn read_brief(&self, body: ClientBody, most: u64) -> Result<Option<Bytes>, BodyFault> {
        let time = UNWANTED_TIME.min(self.timeouts.client_body);
        match self.read_within(body, most, time).await {
            Ok(body) => Ok(Some(body)),
            Err(fault @ CollectError::Body(BodyError::Broken(_))) => Err(fault),
            Err(_) => Ok(None),
        }
    }

    async fn read_within(&self, body: ClientBody, most: u64, time: Duration) -> Result<Bytes, BodyFault> {
        if body.size_hint().lower() > most {
            return Err(CollectError::TooLarge);
        }
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let body = MinRateBody::new(body, &self.limits, &self.timeouts);
        Collector::new(body, &self.budget, most).collect(time).await
    }

    /// All of a body that ends itself before it is large, within the budget as well.
    pub(super) async fn collect<B>(&self, body: B) -> Result<Bytes, BodyFault>
    where
        B: Body<Data = Bytes, Error = BodyError> + Unpin,
    {
        let collector = Collector::new(body, &self.budget, usize::MAX);
        collector.collect(self.timeouts.client_body).await
    }
}

/// The response for a client whose body ended an exchange which streamed it.
pub(super) fn behind(failure: &ExchangeFailure) -> Option<EdgeResponse> {
    causes(failure).find_map(|cause| cause.downcast_ref().map(not_received))
}

/// The response for a client whose body is not taken.
pub(super) fn not_taken(fault: &BodyFault) -> EdgeResponse {
    match fault {
        CollectError::Body(error) => not_received(error),
        CollectError::NoRoom => refused(&errors::NO_MEMORY_FOR_BODY.refusal()).again_soon(),
        CollectError::TooLarge => refused(&errors::BODY_TOO_LARGE.refusal()),
        CollectError::TooSlow => refused(&errors::REQUEST_TIMEOUT.refusal()),
    }
}

/// The response to a request whose body did not come as it should.
fn not_received(error: &BodyError) -> EdgeResponse {
    refused(&match error {
        BodyError::GivenUp => return refused(&errors::OVERLOADED.refusal()).again_soon(),
        BodyError::Broken(breach) => breach.refusal(),
        BodyError::Ended(_) => errors::BAD_BODY.refusal(),
        BodyError::Slow => errors::REQUEST_TIMEOUT.refusal(),
        BodyError::Refused(error) => error.refusal(),
    })
}
