//! The call bound to its backend: written, sent, and its response checked.

use std::sync::Arc;

use http::header::CACHE_CONTROL;
use http::{HeaderValue, Method, Response};

use url::Url;

use super::calls::{BackendResult, CalendarCall, CallFailure};
use super::stage::Stage;
use super::{Parts, fault};
use crate::backend::{Backend, BackendKind, Backends, BreakerGuard, Health, OriginBody};
use crate::call::ForwardableCall;
use crate::companion::Companions;
use crate::purge::AnswerAge;
use crate::relay::{CallContext, Content, RelayRules, Script, accept};
use crate::settings::Settings;
use crate::shared::Shared;

/// The end of a call's way through the edge.
#[derive(Debug)]
pub(super) struct Dispatch {
    backends: Arc<Backends>,
    rules: Arc<RelayRules>,
    companions: Companions,
    roots: Vec<Url>,
}

// === impl Dispatch ===

impl Dispatch {
    pub(super) fn new(parts: &Parts, settings: &Settings, shared: &Shared) -> Self {
        let roots = settings.roots.iter();
        Self {
            backends: Arc::clone(&parts.backends),
            rules: Arc::clone(&parts.rules),
            companions: shared.companions.clone(),
            // Without a secret there are no messages, and the count alone comes too late.
            roots: roots
                .filter(|_| settings.origin.mark_key.is_some())
                .map(|root| root.origin_url.clone())
                .collect(),
        }
    }

    /// Sends a call, and hears what its answer shows of the site's companion plugin.
    async fn exchange(
        &self,
        backend: &Backend,
        call: &CalendarCall,
    ) -> Result<(Response<OriginBody>, BreakerGuard), CallFailure> {
        let root = self.roots.get(call.call.request().root);
        let asked = root.map(|root| (root, self.companions.asks(root)));
        let outgoing = backend.write(&call.call, &call.forwarded)?;
        let (mut response, guard) = backend.exchange(outgoing, call.operation()).await?;
        if let Some((root, asked)) = asked {
            let age = self
                .companions
                .heard(root, asked, response.status(), response.headers());
            if age == AnswerAge::Outdated {
                // Kept by somebody between the edge and the site: it must not be kept once more.
                let headers = response.headers_mut();
                headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
            }
        }
        Ok((response, guard))
    }
}

impl Stage<CalendarCall> for Dispatch {
    type Response = BackendResult;

    async fn call(&self, call: CalendarCall) -> BackendResult {
        // Last of all: until here the call is the same for every backend.
        let backend = self.backends.for_call(&call.call);
        let (response, guard) = self.exchange(backend, &call).await?;
        let checked = match backend.kind() {
            BackendKind::WordPress => accept(response, &context(&call.call), &self.rules).await,
        };
        match checked {
            Ok(accepted) => {
                guard.report(Health::Alive);
                Ok(accepted)
            }
            Err(failure) => {
                if let Some(health) = fault::health(&failure) {
                    guard.report(health);
                }
                Err(CallFailure::Unsound(failure))
            }
        }
    }
}

/// The facts about a call that its response is checked by.
fn context(call: &ForwardableCall) -> CallContext {
    let request = call.request();
    CallContext {
        root: request.root,
        method: request.method.clone(),
        content: match call.operation() {
            Some(operation) if request.method != Method::OPTIONS => {
                Content::of(operation.id, &request.method)
            }
            Some(_) | None => Content::Description,
        },
        script: if call.expects_javascript() {
            Script::Admitted
        } else {
            Script::Refused
        },
        enveloped: call.expects_envelope(),
    }
}
