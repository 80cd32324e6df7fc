//! The gateway behind one type, whatever its stages are.

use std::convert::Infallible;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::layers::{EdgeRequest, EdgeResponse};

/// Serves requests under one set of settings.
pub(super) trait ServeGateway: Send + Sync {
    /// Responds to a request.
    fn serve(self: Arc<Self>, request: EdgeRequest) -> ServeFuture;
}

/// The response to a request, once it is there.
pub(super) type ServeFuture = BoxFuture<'static, Result<EdgeResponse, Infallible>>;
