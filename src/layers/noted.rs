//! What the layers note about a request, for the layers below and the gateway.

use std::sync::Arc;

use super::client_address::ClientAddress;
use super::client_body::ReadProgress;
use super::head_rules::NamedHost;
use super::request_id::RequestId;
use crate::telemetry::RequestLog;

/// The facts that the layers have noted so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Noted {
    pub(super) id: Option<RequestId>,
    pub(super) client: Option<ClientAddress>,
    pub(super) log: Option<RequestLog>,
    pub(super) host: Option<NamedHost>,
    pub(super) body: Option<Arc<ReadProgress>>,
}
