//! The two sides of a comparison, and the noise that one side makes by itself.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, bail};
use calendar_edge::app::{DryRun, DryRunCall, DryRunResponse, Reach};
use calendar_edge_core::migration::comparison::{
    Comparer, DifferenceClass, EndedRule, PathFindings, ReportedCall,
};
use calendar_edge_core::settings::{BackendSettings, CredentialsPolicy, PRIMARY, Settings};
use calendar_edge_judge::contract::OperationId;
use parking_lot::Mutex;

use super::super::list_reader::{Trouble, trouble};
use super::super::status::Misuse;

/// The most second requests for one operation.
const SECOND_REQUESTS: u32 = 5;

/// A live backend with its name.
#[derive(Debug)]
struct LiveSide {
    name: String,
    backend: DryRun,
    /// True once it has responded: until then a failed connection means that nothing can be compared.
    has_responded: AtomicBool,
    credentials: CredentialsPolicy,
    /// The number of roots that it serves.
    roots: usize,
}

/// The site, whose responses are taken for right, and another backend.
#[derive(Debug)]
pub(super) struct Sides {
    primary: LiveSide,
    other: LiveSide,
    comparer: Mutex<Comparer>,
    doubled: Mutex<HashMap<Option<OperationId>, u32>>,
}

/// One compared call.
#[derive(Debug)]
pub(super) struct ComparedCall {
    pub(super) reported: ReportedCall,
    pub(super) findings: PathFindings,
    pub(super) ended: Vec<EndedRule>,
    pub(super) primary: DryRunResponse,
    pub(super) other: DryRunResponse,
}

// === impl Sides ===

impl Sides {
    /// The site against a further backend; without a name against the only one.
    pub(super) fn live(settings: &Settings, name: Option<&str>) -> anyhow::Result<Self> {
        if name == Some(PRIMARY) {
            bail!(Misuse(
                "the site is not compared with itself; name another backend"
            ));
        }
        let today = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
        Ok(Self {
            primary: LiveSide::new(settings.site(), settings)?,
            other: LiveSide::new(named(settings, name)?, settings)?,
            comparer: Mutex::new(Comparer::new(&settings.compare, today)),
            doubled: Mutex::default(),
        })
    }

    /// The reason why the other backend does not get a call.
    pub(super) fn withheld(&self, call: &DryRunCall) -> Option<&'static str> {
        if call.is_personal() && self.other.credentials == CredentialsPolicy::Withhold {
            return Some("credentials withheld from the backend");
        }
        (call.root() >= self.other.roots).then_some("root not served by the backend")
    }

    /// The reason why a comparison proves nothing: one of the backends is not there, or refuses because of its load.
    pub(super) fn trouble(&self, compared: &ComparedCall) -> Option<Trouble> {
        self.trouble_of(&compared.primary, &compared.other)
    }

    fn trouble_of(&self, primary: &DryRunResponse, other: &DryRunResponse) -> Option<Trouble> {
        trouble(None, primary).or_else(|| trouble(Some(&self.other.name), other))
    }

    pub(super) fn other_name(&self) -> &str {
        &self.other.name
    }

    /// Sends a call to the primary, and then to the other backend.
    ///
    /// The primary's two responses enclose the other's in time, so that a member which only the clock changed is
    /// volatile.
    ///
    /// # Errors
    ///
    /// When one of the backends cannot be reached and has never responded.
    pub(super) async fn compare(&self, call: &DryRunCall) -> anyhow::Result<ComparedCall> {
        let (primary, other) = (self.primary.send(call).await?, self.other.send(call).await?);
        let operation = call.operation();
        let mut findings = self
            .comparer
            .lock()
            .compare(operation, primary.compared(), other.compared());
        let is_said = self.trouble_of(&primary, &other).is_none();
        if findings.worst() >= DifferenceClass::Volatile && is_said && self.may_double(call) {
            let second = self.primary.send(call).await?;
            let (primary, other) = (primary.compared(), other.compared());
            findings = self
                .comparer
                .lock()
                .compare_twice(operation, primary, other, second.compared());
        }
        let ended = self.comparer.lock().ended(operation, &findings);
        Ok(ComparedCall {
            reported: self.other.backend.reported(call),
            findings,
            ended,
            primary,
            other,
        })
    }

    /// Counts a second request; writes are never sent twice.
    fn may_double(&self, call: &DryRunCall) -> bool {
        let mut doubled = self.doubled.lock();
        let count = doubled.entry(call.operation()).or_default();
        *count += 1;
        !call.is_write() && *count <= SECOND_REQUESTS
    }
}

// === impl LiveSide ===

impl LiveSide {
    fn new(backend: BackendSettings, settings: &Settings) -> anyhow::Result<Self> {
        Ok(Self {
            name: backend.name.clone(),
            has_responded: AtomicBool::new(false),
            credentials: backend.credentials,
            roots: backend.roots.len(),
            backend: DryRun::new(backend, &settings.site())?,
        })
    }

    async fn send(&self, call: &DryRunCall) -> anyhow::Result<DryRunResponse> {
        let answer = self.backend.send(call).await;
        match &answer.failure {
            Some(failure) if failure.reach == Reach::Nowhere => {
                if !self.has_responded.load(Ordering::Relaxed) {
                    bail!("the backend `{}` cannot be reached: {failure}", self.name);
                }
            }
            Some(_) | None => self.has_responded.store(true, Ordering::Relaxed),
        }
        Ok(answer)
    }
}

/// The backend of a name; without one the only backend beside the site.
fn named(settings: &Settings, name: Option<&str>) -> anyhow::Result<BackendSettings> {
    let name = match (name, settings.backends.as_slice()) {
        (Some(name), _) => name,
        (None, [only]) => &only.name,
        (None, []) => bail!("the configuration has no [backends.NAME]"),
        (None, _) => bail!("the configuration has several backends: name one with --to"),
    };
    let found = settings.backend(name);
    found.with_context(|| format!("the configuration has no [backends.{name}]"))
}
