//! Calls that wait until the site tells under which name it has the calendar.

use std::sync::Arc;

use tokio::sync::OnceCell;
use tokio::time::timeout;

use super::serve_gateway::{ServeFuture, ServeGateway};
use crate::backend::{ExchangeFailure, NamespaceLooks};
use crate::calls::fault;
use crate::gateway::GatewayState;
use crate::layers::EdgeRequest;
use calendar_edge_core::settings::{OriginNamespace, OriginSettings, Settings};

/// The gateway before a site that has not responded yet.
///
/// Requests that depend on the name wait for the look that is under way, or else for the next one. Where the site does not
/// answer, they are answered as if they had been sent to it.
pub(super) struct AwaitingNamespace {
    /// Serves what does not depend on the name.
    unnamed: Arc<dyn ServeGateway>,
    settings: Settings,
    state: GatewayState,
    /// Serves those who have waited; later requests find another stack.
    named: OnceCell<Arc<dyn ServeGateway>>,
    /// The gateway for settings that name the calendar.
    of: fn(&Settings, &GatewayState) -> Arc<dyn ServeGateway>,
}

// === impl AwaitingNamespace ===

impl AwaitingNamespace {
    /// Returns true if the settings do not name the calendar, and the site has not been asked or names it otherwise.
    pub(super) fn is_needed(origin: &OriginSettings, looks: &NamespaceLooks) -> bool {
        origin.read_index && origin.namespace == OriginNamespace::Assumed && !looks.found_none(&origin.url)
    }

    pub(super) fn new(
        unnamed: Arc<dyn ServeGateway>,
        of: fn(&Settings, &GatewayState) -> Arc<dyn ServeGateway>,
        settings: &Settings,
        state: &GatewayState,
    ) -> Self {
        Self {
            unnamed,
            of,
            settings: settings.clone(),
            state: state.clone(),
            named: OnceCell::new(),
        }
    }

    /// The gateway for the name that the site lists, or for the assumed one if it lists none.
    async fn named(&self) -> Result<&Arc<dyn ServeGateway>, Arc<ExchangeFailure>> {
        let look = self.state.indexes.looks().result(&self.settings.origin.url);
        let look = timeout(self.settings.timeouts.origin_read, look).await;
        let listed = look.map_err(|_| Arc::new(ExchangeFailure::Timeout))??;
        let named = self.named.get_or_init(|| async {
            let mut settings = self.settings.clone();
            if let Some(listed) = listed {
                settings.origin.namespace = OriginNamespace::listed(listed);
            }
            (self.of)(&settings, &self.state)
        });
        Ok(named.await)
    }
}

impl ServeGateway for AwaitingNamespace {
    fn serve(self: Arc<Self>, request: EdgeRequest) -> ServeFuture {
        if !self.depends_on_namespace(&request) {
            return Arc::clone(&self.unnamed).serve(request);
        }
        Box::pin(async move {
            match self.named().await {
                Ok(named) => Arc::clone(named).serve(request).await,
                Err(failure) => Ok(fault::exchange_failed(&failure, &self.state.warnings)),
            }
        })
    }

    fn depends_on_namespace(&self, request: &EdgeRequest) -> bool {
        self.unnamed.depends_on_namespace(request)
    }
}
