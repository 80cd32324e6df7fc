//! Records read as an anonymous reader reads them: from the cache, or from the site with a permit like any other call.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::BodyExt;

use crate::backend::{Forwarded, ForwardedHeaders};
use crate::companion::AsksSite;
use crate::gateway::calls::{CalendarCall, CallResponse, ClientSide, JudgedCall};
use crate::gateway::stage::Stage;
use crate::server::bodies::CollectError;
use crate::server::response::{BoxError, EdgeBody};
use calendar_edge_core::companion::feed::{RecordName, RecordVerdict};
use calendar_edge_core::gateway::authority::{Addressed, PublicAddress, Scheme};
use calendar_edge_core::gateway::decision::{Decider, Decision, RequestHead};
use calendar_edge_core::settings::Settings;
use calendar_edge_judge::call::Outcome;

/// Reads records for the feed.
pub(in crate::gateway) trait ReadsRecords: AsksSite {
    /// The JSON of a record at a public address; none if an anonymous reader does not see it, or if it is longer than
    /// `most` bytes.
    fn read<'a>(
        &'a self,
        name: RecordName,
        public: &'a PublicAddress,
        most: usize,
    ) -> Pin<Box<dyn Future<Output = Option<Bytes>> + Send + 'a>>;
}

/// Reads records through the stages below judging.
pub(in crate::gateway) struct RecordReads<S> {
    stages: Arc<S>,
    decider: Arc<Decider>,
    /// The path of the namespace below the first root.
    path: String,
    namespace: Option<Arc<str>>,
    public: PublicAddress,
}

/// The most bytes of a record that is asked for.
const LARGEST: usize = 4 << 20;

// === impl RecordReads ===

impl<S> RecordReads<S>
where
    S: Stage<CalendarCall, Response = CallResponse>,
{
    pub(in crate::gateway) fn new(stages: Arc<S>, settings: &Settings, decider: &Arc<Decider>) -> Self {
        let root = settings.roots.first().map_or("", |root| root.path.as_str());
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
            path: format!("{root}/{namespace}"),
            namespace: Some(namespace.into()),
            public: PublicAddress::of(settings.public_url.as_ref(), nobody),
        }
    }

    /// The call of an anonymous reader; none if the settings permit it to nobody.
    fn call(&self, name: RecordName, public: &PublicAddress) -> Option<CalendarCall> {
        let target = format!("{}/{}/{}", self.path, name.kind.collection(), name.id);
        let request = Request::builder().method(Method::GET).uri(target).body(());
        let (head, ()) = request.ok()?.into_parts();
        let head = RequestHead {
            parts: &head,
            client: None,
            addressed: Addressed {
                scheme: Scheme::Http,
                host: None,
                local: None,
            },
        };
        let Decision::Judged(judgement) = self.decider.decide(&head, &[]) else {
            return None;
        };
        let Outcome::Forward(call) = judgement.outcome else {
            return None;
        };
        let call = Arc::new(JudgedCall::new(*call));
        let context = call.client_at(public.to_string().into(), self.namespace.clone());
        let forwarded = ForwardedHeaders::new(&HeaderMap::new(), Forwarded::new(None, public, None));
        Some(CalendarCall::of(
            Arc::new(ClientSide::absent(context, forwarded)),
            call,
        ))
    }

    /// Status and body of the answer, without a body if it has more bytes or ends early; none where the edge refuses.
    async fn answer(
        &self,
        name: RecordName,
        public: &PublicAddress,
        most: usize,
    ) -> Option<(StatusCode, Option<Bytes>)> {
        let call = self.call(name, public)?;
        let answer = self.stages.call(call).await.response;
        let status = answer.status();
        Some((status, whole(answer.response.into_body(), most).await.ok()))
    }
}

impl<S> AsksSite for RecordReads<S>
where
    S: Stage<CalendarCall, Response = CallResponse>,
{
    fn ask(&self, name: RecordName) -> Pin<Box<dyn Future<Output = RecordVerdict> + Send + '_>> {
        Box::pin(async move {
            let Some((status, body)) = self.answer(name, &self.public, LARGEST).await else {
                return RecordVerdict::Refused;
            };
            verdict(name.kind, status, body.as_deref().unwrap_or_default())
        })
    }
}

impl<S> ReadsRecords for RecordReads<S>
where
    S: Stage<CalendarCall, Response = CallResponse>,
{
    fn read<'a>(
        &'a self,
        name: RecordName,
        public: &'a PublicAddress,
        most: usize,
    ) -> Pin<Box<dyn Future<Output = Option<Bytes>> + Send + 'a>> {
        Box::pin(async move {
            let (status, body) = self.answer(name, public, most).await?;
            body.filter(|_| status == StatusCode::OK)
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

/// The bytes of an answer's body.
///
/// # Errors
///
/// When there are more than `most`, or when it ends early.
pub(in crate::gateway) async fn whole(
    mut body: EdgeBody,
    most: usize,
) -> Result<Bytes, CollectError<BoxError>> {
    let mut whole = Vec::new();
    while let Some(frame) = body.frame().await {
        let data = frame.map_err(CollectError::Body)?.into_data().unwrap_or_default();
        if whole.len() + data.len() > most {
            return Err(CollectError::TooLarge);
        }
        whole.extend_from_slice(&data);
    }
    Ok(whole.into())
}
