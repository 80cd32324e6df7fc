//! The part of a site that is judged, counted and closed already, by the settings.

use crate::gateway::surface::companion_list;
use crate::settings::{
    Mode, OtherTraffic, RoutePattern, Settings, SiteDoor, SurfaceCallers, SurfaceDefault, SurfacePattern,
    SurfacePreset, SurfaceRule,
};

use super::proposals::{ProposedDefault, ProposedRule};

/// What settings say about the rest of a site.
#[derive(Debug, Clone)]
pub struct SurfaceScope {
    /// The namespaces whose calls the edge judges.
    judged: Vec<String>,
    is_served: bool,
    rules: Vec<SurfaceRule>,
    default: SurfaceDefault,
}

// === impl SurfaceScope ===

impl SurfaceScope {
    /// The scope of these settings.
    pub fn of(settings: &Settings) -> Self {
        Self {
            judged: settings.judged_namespaces(),
            is_served: settings.other == OtherTraffic::Forward,
            rules: settings.surface.clone(),
            default: settings.surface_default.clone(),
        }
    }

    /// Returns true if requests for the rest of the site pass the edge.
    pub const fn is_served(&self) -> bool {
        self.is_served
    }

    /// Returns true if the edge judges the calls of a namespace.
    pub(super) fn judges(&self, namespace: &str) -> bool {
        self.judged.iter().any(|own| own.eq_ignore_ascii_case(namespace))
    }

    /// Returns true if there is a rule for all routes and scripts of a preset, in whatever mode.
    pub(super) fn has_rule(&self, preset: &SurfacePreset) -> bool {
        let rules = self
            .rules
            .iter()
            .filter(|rule| rule.callers != SurfaceCallers::Anybody);
        let patterns = || rules.clone().flat_map(|rule| &rule.routes);
        let is_whole = |pattern: &SurfacePattern| matches!(pattern, SurfacePattern::Preset(own) if own.name == preset.name);
        let is_covered = |route: &str| {
            let route = RoutePattern::parse(route);
            patterns().any(|pattern| match (pattern, &route) {
                (SurfacePattern::Route(own), Some(route)) => own.covers(route),
                _ => false,
            })
        };
        let are_covered = |door: &SiteDoor| match door {
            SiteDoor::Route(route) => is_covered(route),
            SiteDoor::Script(_) => false,
            SiteDoor::PageNamed(..) | SiteDoor::PageWith(..) | SiteDoor::Calls(_) => true,
        };
        patterns().any(is_whole) || preset.doors.iter().all(are_covered)
    }

    /// Returns true if there is a rule for all namespaces that no other rule names.
    pub(super) const fn has_default(&self) -> bool {
        self.default.unknown.is_some()
    }

    /// The list for the companion plugin once the rules of the settings and these proposals are enforced; none if it has
    /// nothing to close.
    pub(super) fn companion_list(
        &self,
        proposed: &[ProposedRule],
        default: Option<&ProposedDefault>,
    ) -> Option<String> {
        let mut settings = Settings::for_origin("http://localhost/wp-json".parse().ok()?);
        settings.surface.clone_from(&self.rules);
        settings
            .surface
            .extend(proposed.iter().map(ProposedRule::enforced));
        settings.surface_default = default.map_or_else(|| self.default.clone(), ProposedDefault::enforced);
        companion_list(&settings)
    }
}

// === impl ProposedRule ===

impl ProposedRule {
    /// The rule once it is enforced.
    fn enforced(&self) -> SurfaceRule {
        let patterns = self.routes.iter();
        let callers = [SurfaceCallers::Credentials, SurfaceCallers::Nobody];
        SurfaceRule {
            name: self.name.clone(),
            routes: patterns
                .filter_map(|text| SurfacePattern::parse(text).ok())
                .collect(),
            callers: callers
                .into_iter()
                .find(|callers| callers.name() == self.callers)
                .unwrap_or_default(),
            mode: Mode::Enforce,
            ..SurfaceRule::default()
        }
    }
}

// === impl ProposedDefault ===

impl ProposedDefault {
    fn enforced(&self) -> SurfaceDefault {
        SurfaceDefault {
            unknown: Some(SurfaceCallers::Credentials),
            known: self.known.clone(),
            mode: Mode::Enforce,
        }
    }
}
