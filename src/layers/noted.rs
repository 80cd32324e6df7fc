//! Notes of the layers about a request, for the layers below and the gateway.

use std::sync::Arc;

use super::client_address::ClientAddress;
use super::read_progress::ReadProgress;
use super::request_id::RequestId;
use crate::telemetry::RequestLog;
use calendar_edge_core::gateway::authority::Host;

/// The facts that the layers have noted so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Noted {
    pub(super) id: Option<RequestId>,
    pub(super) client: Option<ClientAddress>,
    pub(super) log: Option<Arc<RequestLog>>,
    pub(super) host: Option<NamedHost>,
    pub(super) body: Option<Arc<ReadProgress>>,
}

/// The host that a request names; none only where HTTP/1.0 allows that.
#[derive(Debug, Clone)]
pub(super) struct NamedHost(pub(super) Option<Host>);
