//! Records read as an anonymous reader reads them: from the cache, or from the site with a permit like any other call.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use http::HeaderMap;

use crate::backend::{Forwarded, ForwardedHeaders};
use crate::calls::{CalendarCall, CallResponse, ClientSide, JudgedCall, Stage};
use crate::companion::{ReadsRecords, RecordRead};
use crate::layers::EdgeResponse;
use crate::server::bodies::read_within;
use crate::server::response::ResponseSource;
use calendar_edge_core::companion::feed::RecordName;
use calendar_edge_core::gateway::authority::{Addressed, PublicAddress, Scheme};
use calendar_edge_core::gateway::decision::Decider;
use calendar_edge_core::settings::Settings;

/// Reads records through the stages below judging.
pub(super) struct RecordReads<S> {
    stages: Arc<S>,
    decider: Arc<Decider>,
    /// The path of the namespace below the first root.
    path: String,
    namespace: Arc<str>,
    public: PublicAddress,
}

// === impl RecordReads ===

impl<S: Stage<CalendarCall, CallResponse>> RecordReads<S> {
    pub(super) fn new(stages: Arc<S>, settings: &Settings, decider: &Arc<Decider>) -> Self {
        let namespaces = settings.public_namespaces();
        let namespace = namespaces.first().map(String::as_str).unwrap_or_default();
        let nobody = Addressed {
            scheme: Scheme::Http,
            host: None,
            local: None,
        };
        Self {
            stages,
            decider: Arc::clone(decider),
            path: settings.first_path(),
            namespace: namespace.into(),
            public: PublicAddress::of(settings.public_url.as_ref(), nobody),
        }
    }

    /// The call of an anonymous reader; none if the settings permit it to no client.
    fn call(&self, name: RecordName, public: &PublicAddress, namespace: Arc<str>) -> Option<CalendarCall> {
        let target = format!("{}/{}/{}", self.path, name.kind.collection(), name.id);
        let call = Arc::new(JudgedCall::new(self.decider.own_read(&target)?));
        let context = call.client_at(public.to_string().into(), Some(namespace));
        let forwarded = ForwardedHeaders::new(&HeaderMap::new(), Forwarded::new(None, public));
        Some(CalendarCall::of(
            Arc::new(ClientSide::absent(context, forwarded)),
            call,
        ))
    }
}

impl<S: Stage<CalendarCall, CallResponse>> ReadsRecords for RecordReads<S> {
    fn read<'a>(
        &'a self,
        name: RecordName,
        at: Option<(&'a PublicAddress, Option<&'a str>)>,
        most: usize,
    ) -> BoxFuture<'a, Option<RecordRead>> {
        Box::pin(async move {
            let (public, namespace) = at.unwrap_or((&self.public, None));
            let namespace = namespace.map_or_else(|| Arc::clone(&self.namespace), Arc::from);
            let call = self.call(name, public, namespace)?;
            let EdgeResponse { response, facts } = self.stages.call(call).await.response;
            let (head, body) = response.into_parts();
            Some(RecordRead {
                status: head.status,
                body: read_within(body, most).await.ok(),
                is_of_backend: facts.by() == Some(ResponseSource::Backend),
            })
        })
    }
}

impl<S> fmt::Debug for RecordReads<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordReads")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}
