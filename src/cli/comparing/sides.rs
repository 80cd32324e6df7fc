//! The two sides of a comparison, and the findings about them.

use anyhow::{Context as _, bail};
use calendar_edge::app::{BackendFindings, DryRun, DryRunCall, DryRunResponse, Reach};
use calendar_edge_core::migration::comparison::{DifferenceClass, PathFindings};
use calendar_edge_core::settings::{BackendSettings, CompareSettings, CredentialsPolicy, PRIMARY, Settings};

use super::super::list_reader::{Trouble, trouble};
use super::super::status::Misuse;

/// The site, whose responses are taken for right, and another backend.
#[derive(Debug)]
pub(super) struct Sides {
    primary: DryRun,
    other: DryRun,
    /// The settings of the other backend.
    pub(super) backend: BackendSettings,
    /// The findings about all calls that were added.
    pub(super) findings: BackendFindings,
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
    pub(super) fn live(
        settings: &Settings,
        name: Option<&str>,
        compare: &CompareSettings,
    ) -> anyhow::Result<Self> {
        if name == Some(PRIMARY) {
            bail!(Misuse(
                "the site is not compared with itself; name another backend"
            ));
        }
        let (site, backend) = (settings.site(), named(settings, name)?);
        Ok(Self {
            primary: DryRun::new(site.clone(), &site)?,
            other: DryRun::new(backend.clone(), &site)?,
            backend,
            findings: BackendFindings::new(compare, None),
        })
    }

    /// The reason why the other backend does not get a call.
    pub(super) fn withheld(&self, call: &DryRunCall) -> Option<&'static str> {
        if call.is_personal() && self.backend.credentials == CredentialsPolicy::Withhold {
            return Some("credentials withheld from the backend");
        }
        (call.root() >= self.backend.roots.len()).then_some("root not served by the backend")
    }

    /// The reason why a comparison proves nothing: one of the backends is not there, or refuses because of its load.
    pub(super) fn trouble(&self, compared: &ComparedCall) -> Option<Trouble> {
        trouble(None, &compared.primary).or_else(|| trouble(Some(&self.backend.name), &compared.other))
    }

    /// Adds a compared call to the findings.
    pub(super) fn add(&self, compared: &ComparedCall) {
        let reported = self.other.reported(&compared.call);
        self.findings.add(&reported, &compared.findings);
    }

    /// Sends a call to the primary, and then to the other backend.
    ///
    /// The primary's two responses enclose the other's in time, so that a member which only the clock changed is
    /// volatile. Writes are never sent twice.
    pub(super) async fn compare(&self, call: &DryRunCall) -> ComparedCall {
        let primary = self.primary.send(call).await;
        // A write that the primary never got is not made at the other backend alone.
        let other = if call.is_write() && primary.reach == Reach::Nowhere {
            primary.clone()
        } else {
            self.other.send(call).await
        };
        let operation = call.operation();
        let findings = self
            .findings
            .compare(operation, primary.compared(), other.compared());
        let mut compared = ComparedCall {
            call: call.clone(),
            findings,
            primary,
            other,
        };
        let is_repeated = compared.findings.worst() >= DifferenceClass::Volatile
            && self.trouble(&compared).is_none()
            && !call.is_write();
        if is_repeated && self.findings.may_double(operation) {
            let second = self.primary.send(call).await;
            let (primary, other) = (compared.primary.compared(), compared.other.compared());
            compared.findings = self
                .findings
                .compare_twice(operation, primary, other, second.compared());
        }
        compared
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
