//! The response to a calendar call, on its way back through the stages.

use std::sync::Arc;

use super::stored_response::StoredResponse;
use crate::layers::EdgeResponse;
use crate::telemetry::SiteVerdict;
use calendar_edge_core::cache::{StatedLife, Storable};
use calendar_edge_core::limits::rates::Login;

/// A response to a client, and its meaning for the client's credentials.
#[derive(Debug)]
pub(crate) struct CallResponse {
    pub(crate) response: EdgeResponse,
    pub(crate) login: Login,
    /// The site's permission to store it.
    pub(crate) storable: Storable,
    /// The lifetime that the site states.
    pub(crate) stated: StatedLife,
    /// The site's response to a call that did not pass every rule; none for other calls and responses of the edge.
    pub(crate) site: Option<SiteVerdict>,
    /// The stored response that it shows, or that can be stored as it is.
    pub(crate) stored: Option<Arc<StoredResponse>>,
}

// === impl CallResponse ===

impl CallResponse {
    /// The same, which shows a stored response.
    pub(crate) fn showing(self, stored: Arc<StoredResponse>) -> Self {
        Self {
            stored: Some(stored),
            ..self
        }
    }
}

impl From<EdgeResponse> for CallResponse {
    /// The edge's own response. A failure is the same for all clients that wait.
    fn from(response: EdgeResponse) -> Self {
        Self {
            storable: if response.status().is_server_error() {
                Storable::Failure
            } else {
                Storable::No
            },
            response,
            stated: StatedLife::default(),
            site: None,
            login: Login::NotRefused,
            stored: None,
        }
    }
}
