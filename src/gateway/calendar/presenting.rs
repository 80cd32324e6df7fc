//! A backend's response, written for the client that requested it.

use std::sync::Arc;

use http_body_util::BodyExt;

use crate::backend::OriginBody;
use crate::calls::{BackendResult, CalendarCall, CallResponse, Stage, fault};
use crate::layers::{EdgeResponse, ResponseFacts};
use crate::server::response::ResponseSource;
use crate::telemetry::{SiteVerdict, TranslationMetrics, Warnings, unix_time};
use calendar_edge_core::cache::{StatedLife, Storable};
use calendar_edge_core::limits::rates::Login;
use calendar_edge_core::relay::cors::Audience;
use calendar_edge_core::relay::{AcceptedResponse, ClientContext, RelayRules, present, translate};

/// Turns accepted responses and failures into the client's response.
///
/// Everything below is independent of the client: a response kept there can be presented to many.
#[derive(Debug)]
pub(in crate::gateway) struct Presenting<S> {
    pub(in crate::gateway) inner: S,
    pub(in crate::gateway) rules: Arc<RelayRules>,
    pub(in crate::gateway) warnings: Warnings,
    pub(in crate::gateway) translations: TranslationMetrics,
    /// Without a cache no response is searched for what must not be stored.
    pub(in crate::gateway) has_cache: bool,
}

// === impl Presenting ===

impl<S> Presenting<S> {
    fn present(
        &self,
        accepted: AcceptedResponse<OriginBody>,
        client: &ClientContext,
        login: Login,
    ) -> CallResponse {
        let audience = client.audience;
        let (storable, stated) = if self.has_cache {
            storable(&accepted, audience)
        } else {
            (Storable::No, StatedLife::default())
        };
        let (accepted, rows) = translate(accepted, &self.rules);
        self.translations.met(&rows);
        let response = present(accepted, client, &self.rules);
        CallResponse {
            response: EdgeResponse {
                response: response.map(|body| body.map_err(Into::into).boxed_unsync()),
                facts: ResponseFacts::Calendar {
                    by: ResponseSource::Backend,
                    audience,
                    codings: None,
                },
            },
            storable,
            stated,
            site: None,
            stored: None,
            login,
        }
    }
}

/// The permission to store a response, by its headers and its body, and the lifetime that the site states.
fn storable(accepted: &AcceptedResponse<OriginBody>, audience: Audience) -> (Storable, StatedLife) {
    let stated = StatedLife::of(accepted.headers(), unix_time());
    let storable = Storable::of(accepted.status(), accepted.headers(), stated);
    let storable = match accepted.whole_body() {
        Some(body) if audience == Audience::Everybody => storable.with_body(&body),
        _ => storable,
    };
    (storable, stated)
}

impl<S: Stage<CalendarCall, BackendResult>> Stage<CalendarCall, CallResponse> for Presenting<S> {
    async fn call(&self, call: CalendarCall) -> CallResponse {
        let client = Arc::clone(&call.client);
        let is_waived = call.call.waiver().is_some();
        let is_write = call.call.is_write();
        match self.inner.call(call).await {
            Ok(accepted) => {
                let site = is_waived.then(|| verdict(&accepted));
                let login = login(&accepted, client.context.audience, is_write);
                if accepted.had_byte_order_mark() {
                    fault::byte_order_mark(&self.warnings);
                }
                let response = self.present(accepted, &client.context, login);
                CallResponse { site, ..response }
            }
            Err(failure) => fault::call_failed(&failure, &self.warnings),
        }
    }
}

/// The response of the site as report mode counts it.
fn verdict(accepted: &AcceptedResponse<OriginBody>) -> SiteVerdict {
    let status = accepted.effective_status().unwrap_or(accepted.status());
    SiteVerdict::new(status.as_u16(), accepted.error_code())
}

/// The result of the client's login, as a response shows it.
fn login(accepted: &AcceptedResponse<OriginBody>, audience: Audience, is_write: bool) -> Login {
    match audience {
        Audience::Everybody => Login::NotRefused,
        Audience::OneClient => {
            Login::shown_by(accepted.effective_status(), || accepted.error_code(), is_write)
        }
    }
}
