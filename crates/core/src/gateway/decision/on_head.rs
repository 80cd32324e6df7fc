//! The rules that need nothing but a head, in their order.

use http::request::Parts;
use url::Url;

use super::request_head::RequestHead;
use super::site_headers::names_method_unclearly;
use crate::errors;
use crate::gateway::authority::names_us;
use crate::limits::rates::{Client, CostClass, Writers, needs_names};
use crate::settings::{Profile, Settings};
use calendar_edge_judge::call::Judge;
use calendar_edge_judge::call::credentials::{Credentials, Identity};
use calendar_edge_judge::contract::TablesInForce;
use calendar_edge_judge::problem::{OwnError, Refusal};
use calendar_edge_judge::routing::Target;
use calendar_edge_judge::wordpress::payload::METHOD_OVERRIDE;

/// A head with everything that was read from it.
pub(super) struct ReadHead<'a> {
    pub(super) head: &'a RequestHead<'a>,
    pub(super) target: &'a Target,
    pub(super) profile: Profile,
    pub(super) cost: CostClass,
    pub(super) credentials: &'a Result<Credentials, Identity>,
}

/// Decides what follows from a head alone.
#[derive(Debug)]
pub(super) struct OnHead {
    pub(super) judge: Judge,
    pub(super) writers: Writers,
    public_url: Option<Url>,
    hosts: Vec<String>,
    pub(super) needs_names: bool,
}

/// A rule about a request whose head is read.
type HeadRule = fn(&OnHead, &ReadHead<'_>) -> Option<Refusal>;

/// The rules; the first refusal is the response.
const ON_HEAD: [HeadRule; 8] = [
    // A target that cannot be read, or that leads nowhere, is refused whoever the caller is.
    unreadable_target,
    no_route,
    // Before the rules about the method that counts.
    unclear_method,
    // Credentials that cannot be read leave the caller open, and with it every rule about callers.
    rejected_credentials,
    // Where accounts are counted or listed, Basic credentials must name one without doubt.
    inexact_account,
    // Needs the client's address only, so it comes before the body.
    writing_address,
    // So does the list of accounts that may write.
    unlisted_writer,
    // Strict: an absolute target that names another host is not for this edge.
    foreign_authority,
];

// === impl OnHead ===

impl OnHead {
    pub(super) fn new(settings: &Settings, tables: TablesInForce) -> Self {
        Self {
            judge: Judge::before(settings.policy(), tables),
            writers: Writers::new(&settings.write_addresses, &settings.writers),
            public_url: settings.public_url.clone(),
            hosts: settings.hosts.clone(),
            needs_names: needs_names(&settings.rate_limits, &settings.writers),
        }
    }

    /// The first refusal.
    pub(super) fn refusal(&self, read: &ReadHead<'_>) -> Option<Refusal> {
        ON_HEAD.iter().find_map(|rule| rule(self, read))
    }
}

fn unreadable_target(_: &OnHead, read: &ReadHead<'_>) -> Option<Refusal> {
    match read.target {
        Target::Invalid(problem) => Some(Refusal::plain(problem.clone())),
        Target::Calendar(_) | Target::Site { .. } => None,
    }
}

fn no_route(rules: &OnHead, read: &ReadHead<'_>) -> Option<Refusal> {
    let Target::Site { root } = *read.target else {
        return None;
    };
    let Parts { method, uri, .. } = read.head.parts;
    Some(rules.judge.refuse_elsewhere(root, method, uri.query()))
}

/// The method that a write names in a header must be one to all servers; the strict profile takes none (T-109).
fn unclear_method(_: &OnHead, read: &ReadHead<'_>) -> Option<Refusal> {
    let Parts { method, headers, .. } = read.head.parts;
    let is_unclear = match read.profile {
        _ if method.is_safe() => false,
        Profile::Strict => headers.contains_key(METHOD_OVERRIDE),
        Profile::Compatible => names_method_unclearly(headers),
    };
    is_unclear.then(|| errors::METHOD_CONTRADICTION.refusal())
}

/// Credentials do not matter for a target without a route: the response is 404.
fn rejected_credentials(_: &OnHead, read: &ReadHead<'_>) -> Option<Refusal> {
    let is_refused = read.is_routed() && read.credentials.is_err();
    is_refused.then(|| OwnError::BAD_AUTHORIZATION.refusal())
}

fn inexact_account(rules: &OnHead, read: &ReadHead<'_>) -> Option<Refusal> {
    let credentials = read.credentials.as_ref().ok()?;
    let is_refused = read.is_routed() && rules.needs_names && credentials.identity().is_inexact;
    is_refused.then(|| OwnError::BAD_AUTHORIZATION.refusal())
}

fn writing_address(rules: &OnHead, read: &ReadHead<'_>) -> Option<Refusal> {
    let credentials = read.credentials.as_ref().ok()?;
    let client = Client::new(read.head.client, credentials.identity());
    let is_denied = read.is_routed() && read.cost == CostClass::Write && !rules.writers.are_at(client);
    is_denied.then(|| errors::ADDRESS_DENIED.refusal())
}

/// A call without any credentials is not refused here: a later refusal names the credentials that it lacks.
fn unlisted_writer(rules: &OnHead, read: &ReadHead<'_>) -> Option<Refusal> {
    let credentials = read.credentials.as_ref().ok()?;
    let operation = read
        .target
        .call()?
        .operation
        .filter(|operation| operation.is_write())?;
    let client = Client::new(read.head.client, credentials.identity());
    let is_denied = !rules.writers.include(client) && !rules.judge.lacks_credentials(operation, credentials);
    is_denied.then(|| errors::WRITER_DENIED.refusal())
}

fn foreign_authority(rules: &OnHead, read: &ReadHead<'_>) -> Option<Refusal> {
    let is_ours = || {
        let RequestHead { parts, addressed, .. } = read.head;
        names_us(rules.public_url.as_ref(), &rules.hosts, parts, *addressed)
    };
    (read.profile == Profile::Strict && !is_ours()).then(|| errors::MISDIRECTED.refusal())
}

// === impl ReadHead ===

impl ReadHead<'_> {
    fn is_routed(&self) -> bool {
        self.target.call().is_some_and(|target| target.matched.is_some())
    }
}
