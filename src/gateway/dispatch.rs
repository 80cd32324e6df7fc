//! The call bound to its backend: written, sent, and its response checked.

use std::sync::Arc;

use http::Method;

use super::calls::{BackendResult, CalendarCall, CallFailure};
use super::fault;
use super::stage::Stage;
use crate::backend::{BackendKind, Backends, Health};
use crate::call::ForwardableCall;
use crate::relay::{AskedLanguage, CallContext, Content, RelayRules, Script, accept};

/// The end of a call's way through the edge.
#[derive(Debug)]
pub(super) struct Dispatch {
    backends: Arc<Backends>,
    rules: Arc<RelayRules>,
}

// === impl Dispatch ===

impl Dispatch {
    pub(super) fn new(backends: &Arc<Backends>, rules: &Arc<RelayRules>) -> Self {
        Self {
            backends: Arc::clone(backends),
            rules: Arc::clone(rules),
        }
    }
}

impl Stage<CalendarCall> for Dispatch {
    type Response = BackendResult;

    async fn call(&self, call: CalendarCall) -> BackendResult {
        // Last of all: until here the call is the same for every backend.
        let backend = self.backends.for_call(&call.call);
        let outgoing = backend.write(&call.call, &call.forwarded)?;
        let context = context(&call.call, outgoing.target());
        let (response, guard) = backend.exchange(outgoing, call.operation()).await?;
        let checked = match backend.kind() {
            BackendKind::WordPress => accept(response, &context, &self.rules).await,
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

/// The facts about a call that its response is checked by; `target` is the path and query at the origin.
pub(super) fn context(call: &ForwardableCall, target: &str) -> CallContext {
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
        language: if call.may_change_language() {
            AskedLanguage::Any
        } else {
            AskedLanguage::OfRoot
        },
        target: target.into(),
    }
}
