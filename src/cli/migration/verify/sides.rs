//! The two sides of a comparison, the pace of calls to them, and the findings about them.

use std::num::NonZeroU32;
use std::time::Duration;

use anyhow::{Context as _, bail};
use calendar_edge::app::{BackendFindings, DryRun, DryRunCall, DryRunResponse};
use calendar_edge::backend::demanded_pause;
use calendar_edge_core::migration::comparison::{DifferenceClass, PathFindings};
use calendar_edge_core::settings::{BackendSettings, CompareSettings, CredentialsPolicy, PRIMARY, Settings};
use http::StatusCode;

use super::super::super::status::Misuse;
use super::pace::{Pace, Trouble, patiently};

/// The site, whose responses are taken for right, and another backend.
#[derive(Debug)]
pub(super) struct Sides {
    primary: DryRun,
    other: DryRun,
    /// The settings of the other backend.
    pub(super) backend: BackendSettings,
    /// The findings about all calls that were added.
    pub(super) findings: BackendFindings,
    pub(super) pace: Pace,
    /// The worst class that is a success.
    pub(super) accepted: DifferenceClass,
}

/// One compared call.
#[derive(Debug)]
pub(super) struct ComparedCall {
    pub(super) call: DryRunCall,
    pub(super) findings: PathFindings,
    pub(super) primary: DryRunResponse,
    pub(super) other: DryRunResponse,
}

// === impl Sides ===

impl Sides {
    /// The site against a further backend; without a name against the only one.
    pub(super) fn new(
        settings: &Settings,
        name: Option<&str>,
        (rate, accepted): (NonZeroU32, DifferenceClass),
    ) -> anyhow::Result<Self> {
        if name == Some(PRIMARY) {
            bail!(Misuse(
                "the site is not compared with itself; name another backend"
            ));
        }
        let (site, backend) = (settings.site(), named(settings, name)?);
        // A walk is whole: no number of calls has to be reached.
        let compare = CompareSettings {
            ignore: settings.compare.ignore.clone(),
            calls: 1,
            ..CompareSettings::default()
        };
        Ok(Self {
            primary: DryRun::new(site.clone(), &site)?,
            other: DryRun::new(backend.clone(), &site)?,
            backend,
            findings: BackendFindings::new(&compare, None),
            pace: Pace::new(rate),
            accepted,
        })
    }

    /// The reason why the other backend does not get a call.
    pub(super) fn withheld(&self, call: &DryRunCall) -> Option<&'static str> {
        if call.is_personal() && self.backend.credentials == CredentialsPolicy::Withhold {
            return Some("credentials withheld from the backend");
        }
        (call.root() >= self.backend.roots.len()).then_some("root not served by the backend")
    }

    /// Adds a compared call to the findings.
    pub(super) fn add(&self, compared: &ComparedCall) {
        let reported = self.other.reported(&compared.call);
        self.findings.add(&reported, &compared.findings);
    }

    /// Compares a call. If the responses differ, it is sent again: an edit may have come between them.
    ///
    /// # Errors
    ///
    /// When one of them is away, with the path of the call.
    pub(super) async fn compared(&self, path: &str, call: &DryRunCall) -> anyhow::Result<ComparedCall> {
        let first = self.once(path, call).await?;
        if first.findings.worst() <= self.accepted {
            return Ok(first);
        }
        let second = self.once(path, call).await?;
        Ok(if second.findings.worst() < first.findings.worst() {
            second
        } else {
            first
        })
    }

    /// A call that both have responded to, when one has failed up to a few times.
    async fn once(&self, path: &str, call: &DryRunCall) -> anyhow::Result<ComparedCall> {
        let ask = || async { Ok(self.compare(call).await) };
        let asked = patiently(&self.pace, ask, |compared| self.trouble(compared)).await;
        asked.with_context(|| format!("{path} is not compared"))
    }

    /// Sends a call to the primary, and then to the other backend.
    ///
    /// The primary's two responses enclose the other's in time, so that a member which only the clock changed is
    /// volatile.
    async fn compare(&self, call: &DryRunCall) -> ComparedCall {
        let (primary, other) = (self.primary.send(call).await, self.other.send(call).await);
        let operation = call.operation;
        let findings = self
            .findings
            .compare(operation, primary.compared(), other.compared());
        let mut compared = ComparedCall {
            call: call.clone(),
            findings,
            primary,
            other,
        };
        let is_repeated =
            compared.findings.worst() >= DifferenceClass::Volatile && self.trouble(&compared).is_none();
        if is_repeated && self.findings.may_double(operation) {
            let second = self.primary.send(call).await;
            let (primary, other) = (compared.primary.compared(), compared.other.compared());
            compared.findings = self
                .findings
                .compare_twice(operation, primary, other, second.compared());
        }
        compared
    }

    /// The reason why a comparison proves nothing: one of the backends is not there, or refuses because of its load.
    fn trouble(&self, compared: &ComparedCall) -> Option<Trouble> {
        trouble("the site", &compared.primary)
            .or_else(|| trouble(&format!("the backend `{}`", self.backend.name), &compared.other))
    }
}

/// The trouble of a side that fails, is not there, or refuses because of its load: nothing follows about records.
fn trouble(side: &str, answer: &DryRunResponse) -> Option<Trouble> {
    let status = answer.status;
    let why = match &answer.failure {
        Some(failure) => format!("{side} fails: {failure}"),
        None if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
            format!("{side} responds with {status}")
        }
        None => return None,
    };
    let pause = demanded_pause(&answer.headers);
    Some((why, pause.unwrap_or(Duration::ZERO)))
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
