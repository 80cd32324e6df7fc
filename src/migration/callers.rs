//! The accounts of callers, as the site names them, for candidates that get identities instead of credentials.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http::{HeaderValue, StatusCode};
use parking_lot::Mutex;
use ring::hmac;
use ring::rand::SystemRandom;
use tokio::sync::Mutex as AsyncMutex;

use super::metrics::{IdentityOutcome, MigrationMetrics};
use super::state::Migration;
use crate::backend::{
    BackendPool, BackendPools, Backends, CallerKey, OwnRequests, SharedBackends, about_caller,
    caller_requests,
};
use crate::calls::{BackendResult, CalendarCall, CallFailure, Dispatch, Stage};
use crate::telemetry::unix_time;
use calendar_edge_core::companion::mark::SiteUser;
use calendar_edge_core::relay::RelayRules;
use calendar_edge_core::settings::{BackendSettings, CredentialsPolicy, MarkKey};

/// Requests the accounts of callers from the site, and remembers them for seconds.
#[derive(Debug)]
pub(crate) struct Callers {
    site: Dispatch,
    roots: Vec<OwnRequests>,
    /// Made for this process; credentials are known by their hashes only.
    key: hmac::Key,
    metrics: MigrationMetrics,
    known: Mutex<HashMap<CallerKey, Arc<KnownCaller>>>,
}

/// The way to a backend, on which identities take the place of credentials if its settings demand it.
#[derive(Debug)]
pub(crate) struct CandidateWay {
    way: Dispatch,
    identities: Option<Identities>,
}

/// The signature of identities for one backend.
#[derive(Debug)]
struct Identities {
    callers: Arc<Callers>,
    key: MarkKey,
    audience: String,
    lifetime: Duration,
}

/// The site's last response about one caller. Callers of the same credentials wait for one request.
type KnownCaller = AsyncMutex<LastResponse>;

#[derive(Debug, Default)]
struct LastResponse {
    /// When the request was sent: the site may have changed its mind since. None: there was no response yet.
    requested: Option<Instant>,
    /// None: WordPress takes the caller for anonymous.
    user: Option<Arc<SiteUser>>,
    /// The end of the last request without a response.
    failed: Option<Instant>,
}

/// The most callers that are remembered; each call of a further one causes a request.
const MOST_CALLERS: usize = 10_000;

/// WordPress's code for credentials that it does not look at, such as a cookie without a nonce.
const ANONYMOUS: &str = "rest_not_logged_in";

/// The other backends, with the findings about them and the accounts of callers.
#[derive(Debug)]
pub(crate) struct OtherBackends {
    pub(crate) pools: BackendPools,
    /// The accounts of callers, for backends that get identities.
    pub(crate) callers: Option<Arc<Callers>>,
    pub(crate) migration: Migration,
}

// === impl Callers ===

impl Callers {
    /// The callers of a site; none if no candidate gets identities, or where the system has no random numbers.
    pub(crate) fn new(
        site: &BackendSettings,
        shared: &SharedBackends,
        rules: &Arc<RelayRules>,
        metrics: &MigrationMetrics,
        candidates: impl IntoIterator<Item = CredentialsPolicy>,
    ) -> Option<Arc<Self>> {
        let mut policies = candidates.into_iter();
        if !policies.any(|policy| policy == CredentialsPolicy::Identity) {
            return None;
        }
        let backends = Arc::new(Backends::new(site, shared));
        Some(Arc::new(Self {
            site: Dispatch::new(&backends, rules),
            roots: caller_requests(site),
            key: hmac::Key::generate(hmac::HMAC_SHA256, &SystemRandom::new()).ok()?,
            metrics: metrics.clone(),
            known: Mutex::default(),
        }))
    }

    /// The account of the caller, which the site named no longer ago than `lifetime`; none for an anonymous one.
    ///
    /// # Errors
    ///
    /// The response to the call, where there is no account: the site's refusal of the credentials, or a failure.
    async fn account(
        &self,
        call: &CalendarCall,
        lifetime: Duration,
    ) -> Result<Option<Arc<SiteUser>>, BackendResult> {
        let Some(key) = CallerKey::of(&call.call, &self.key) else {
            return Ok(None);
        };
        let arrived = Instant::now();
        let known = self.known(key, lifetime);
        let mut last = known.lock().await;
        if last.holds(lifetime) {
            self.metrics.identified(IdentityOutcome::Remembered);
            return Ok(last.user.clone());
        }
        if last.failed.is_some_and(|failed| failed > arrived) {
            self.metrics.identified(IdentityOutcome::Failed);
            return Err(Err(CallFailure::CallerUnknown));
        }
        let requested = Instant::now();
        let answer = self.request_account(call).await;
        self.metrics.identified(match &answer {
            Ok(_) => IdentityOutcome::Responded,
            Err(Ok(_)) => IdentityOutcome::Refused,
            Err(Err(_)) => IdentityOutcome::Failed,
        });
        if let Err(Err(_)) = &answer {
            last.failed = Some(Instant::now());
        }
        last.user = answer?;
        last.requested = Some(requested);
        Ok(last.user.clone())
    }

    async fn request_account(&self, call: &CalendarCall) -> Result<Option<Arc<SiteUser>>, BackendResult> {
        let outgoing = match about_caller(&self.roots, &call.call, &call.client.forwarded) {
            Ok(outgoing) => outgoing,
            Err(fault) => return Err(Err(fault.into())),
        };
        let answer = self.site.send_about(call, outgoing).await.map_err(Err)?;
        match answer.status() {
            StatusCode::OK => {
                let user = answer.whole_body().and_then(|body| SiteUser::of_response(&body));
                let identity = call.call.credentials().identity();
                let user = user.filter(|user| user.names().any(|name| identity.may_be(name)));
                user.map(|user| Some(Arc::new(user)))
                    .ok_or(Err(CallFailure::CallerUnknown))
            }
            StatusCode::UNAUTHORIZED if answer.error_code().as_deref() == Some(ANONYMOUS) => Ok(None),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN if answer.error_code().is_some() => {
                Err(Ok(answer))
            }
            _ => Err(Err(CallFailure::CallerUnknown)),
        }
    }

    fn known(&self, key: CallerKey, lifetime: Duration) -> Arc<KnownCaller> {
        let mut known = self.known.lock();
        if let Some(caller) = known.get(&key) {
            return Arc::clone(caller);
        }
        if known.len() == known.capacity() || known.len() >= MOST_CALLERS {
            // Only before the map grows: its cost is constant for each caller.
            known.retain(|_, caller| {
                Arc::strong_count(caller) > 1 || caller.try_lock().is_ok_and(|last| last.holds(lifetime))
            });
        }
        let caller = Arc::new(KnownCaller::default());
        if known.len() < MOST_CALLERS {
            known.insert(key, Arc::clone(&caller));
        }
        caller
    }
}

// === impl LastResponse ===

impl LastResponse {
    fn holds(&self, lifetime: Duration) -> bool {
        self.requested
            .is_some_and(|requested| requested.elapsed() < lifetime)
    }
}

// === impl CandidateWay ===

impl CandidateWay {
    /// The way to a backend with its state.
    pub(crate) fn over(pool: &BackendPool, rules: &Arc<RelayRules>, callers: Option<&Arc<Callers>>) -> Self {
        let backend = &pool.backend;
        let backends = Arc::new(Backends::new(backend, &pool.shared));
        let is_signed = backend.credentials == CredentialsPolicy::Identity;
        let signing = callers.filter(|_| is_signed).zip(backend.identity_key.clone());
        Self {
            way: Dispatch::new(&backends, rules),
            identities: signing.map(|(callers, key)| Identities {
                callers: Arc::clone(callers),
                key,
                audience: backend.name.clone(),
                lifetime: backend.identity_lifetime,
            }),
        }
    }

    /// The identity that goes with a call; none for anonymous callers, and for backends that get none.
    ///
    /// # Errors
    ///
    /// The response to the call, which then does not go to the backend.
    pub(crate) async fn identity(&self, call: &CalendarCall) -> Result<Option<HeaderValue>, BackendResult> {
        match &self.identities {
            Some(identities) => Box::pin(identities.of(call)).await,
            None => Ok(None),
        }
    }

    /// Sends a call with the identity of its caller.
    pub(crate) async fn send(&self, call: CalendarCall, identity: Option<HeaderValue>) -> BackendResult {
        self.way.send(call, identity).await
    }
}

impl Stage<CalendarCall, BackendResult> for CandidateWay {
    async fn call(&self, call: CalendarCall) -> BackendResult {
        match self.identity(&call).await {
            Ok(identity) => self.send(call, identity).await,
            Err(answer) => answer,
        }
    }
}

// === impl Identities ===

impl Identities {
    async fn of(&self, call: &CalendarCall) -> Result<Option<HeaderValue>, BackendResult> {
        let Some(user) = self.callers.account(call, self.lifetime).await? else {
            return Ok(None);
        };
        let token = user.token(&self.key, &self.audience, unix_time().as_secs());
        token.map(Some).ok_or(Err(CallFailure::CallerUnknown))
    }
}
