//! The rules about the rest of the site, laid out so that a request is compared only with those for its kind of target.

use http::Method;

use super::second_api::cost;
use super::surface_request::{SurfaceRequest, is_below};
use super::surface_verdict::{SurfaceVerdict, strictest};
use crate::limits::rates::CostClass;
use crate::settings::{Mode, OtherTraffic, RoutePattern, Settings, SiteDoor, SurfacePattern, SurfaceRule};
use calendar_edge_judge::routing::SiteTarget;
use calendar_edge_judge::wordpress::value::{PhpArray, Value};

/// Namespaces, or their beginnings, that `[surface_default]` never takes: those of WordPress itself, of the companion
/// plugin, and of the pages of the calendar, which visitors without an account load.
const OPEN: [&str; 7] = [
    "batch",
    "calendar-edge",
    "oembed",
    "tribe/views",
    "wp",
    "wp-block-editor",
    "wp-site-health",
];

/// The script that XML-RPC calls are sent to.
const XML_RPC: &str = "xmlrpc.php";

/// The name of the rule for namespaces that no rule names.
const UNKNOWN: &str = "surface_default";

/// The rule that a refused request breaks, in what is kept of refusals; the name of the rule stands beside it.
pub const SURFACE_RULE: &str = "surface";

/// The rules of one set of settings, without those whose mode is `off`.
#[derive(Debug, Default)]
pub struct SurfaceRules {
    /// In their order.
    rules: Vec<SurfaceRule>,
    /// The patterns of routes, each with the position of its rule. All lists are in the order of the rules.
    routes: Vec<(RoutePattern, usize)>,
    scripts: Vec<(&'static str, usize)>,
    pages: Vec<(SiteDoor, usize)>,
    calls: Vec<(&'static [&'static str], usize)>,
    unknown: Option<UnknownNamespaces>,
    /// True if the rest of the site is forwarded.
    is_forwarded: bool,
}

/// The rule for routes that no other rule takes.
#[derive(Debug)]
struct UnknownNamespaces {
    rule: SurfaceRule,
    /// The namespaces that it does not take.
    known: Vec<String>,
}

// === impl SurfaceRules ===

impl SurfaceRules {
    /// The rules of these settings; none where the rest of the site is not forwarded.
    pub fn new(settings: &Settings) -> Self {
        if settings.other != OtherTraffic::Forward {
            return Self::default();
        }
        let mut laid_out = Self::default();
        for rule in settings.surface.iter().filter(|rule| rule.mode != Mode::Off) {
            laid_out.add(rule.clone());
        }
        laid_out.unknown = UnknownNamespaces::of(settings);
        laid_out.is_forwarded = true;
        laid_out
    }

    fn add(&mut self, rule: SurfaceRule) {
        let at = self.rules.len();
        for pattern in &rule.routes {
            let routes = pattern.routes().into_iter();
            self.routes.extend(routes.map(|route| (route, at)));
            if let SurfacePattern::Preset(preset) = pattern {
                preset.doors.iter().for_each(|door| self.add_door(*door, at));
            }
        }
        self.rules.push(rule);
    }

    fn add_door(&mut self, door: SiteDoor, at: usize) {
        match door {
            SiteDoor::Route(_) => {}
            SiteDoor::Script(script) => self.scripts.push((script, at)),
            SiteDoor::PageNamed(..) | SiteDoor::PageWith(..) => self.pages.push((door, at)),
            SiteDoor::Calls(methods) => self.calls.push((methods, at)),
        }
    }

    /// The names of all rules.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let unknown = self.unknown.iter().map(|unknown| &unknown.rule);
        self.rules.iter().chain(unknown).map(|rule| rule.name.as_str())
    }

    /// True if no request is refused, counted or limited.
    pub const fn are_unset(&self) -> bool {
        self.rules.is_empty() && self.unknown.is_none() && !self.is_forwarded
    }

    /// The cost of a call to the plugin's second API, as one to the calendar has; none for other requests.
    pub fn cost(&self, request: &SurfaceRequest<'_>) -> Option<CostClass> {
        request.readings().find_map(cost).filter(|_| self.is_forwarded)
    }

    /// The strictest verdict about the readings of a request by its head, or by a `rest_route` in its form; none if no rule
    /// takes it.
    pub fn judge(&self, request: &SurfaceRequest<'_>) -> Option<SurfaceVerdict<'_>> {
        strictest(
            request
                .readings()
                .filter_map(|reading| self.judge_reading(reading)),
        )
    }

    fn judge_reading(&self, request: &SurfaceRequest<'_>) -> Option<SurfaceVerdict<'_>> {
        if request.target == SiteTarget::Unclear {
            return self.judge_unclear(request);
        }
        let found = match &request.target {
            SiteTarget::Route(route) => {
                self.first(&self.routes, &request.method, |pattern| pattern.matches(route))
            }
            SiteTarget::Script(name) => self.first(&self.scripts, &request.method, |script| script == name),
            SiteTarget::Page => self.page(request),
            SiteTarget::Unclear => None,
        };
        let rule = match (found, &request.target) {
            (Some(at), _) => self.rules.get(at),
            (None, SiteTarget::Route(route)) => {
                self.unknown.as_ref().and_then(|unknown| unknown.takes(route))
            }
            (None, _) => None,
        };
        rule.map(|rule| SurfaceVerdict::of(rule, request))
    }

    /// The verdict about a page by the variables of its form, which WordPress takes as those of the query.
    pub fn judge_form(&self, request: &SurfaceRequest<'_>, form: &PhpArray) -> Option<SurfaceVerdict<'_>> {
        let page = request
            .readings()
            .find(|reading| reading.target == SiteTarget::Page)?;
        let found = self.first(&self.pages, &page.method, |door| is_set(door, Some(form)))?;
        self.rules.get(found).map(|rule| SurfaceVerdict::of(rule, page))
    }

    /// The verdict about a request that names a route or a variable in a place that cannot be read to its end: a rule that
    /// would have to read it refuses it, if one is enforced against its caller (T-100).
    pub fn judge_unclear(&self, request: &SurfaceRequest<'_>) -> Option<SurfaceVerdict<'_>> {
        let by_routes = self.routes.iter().map(|(_, at)| *at);
        let by_variables = self
            .pages
            .iter()
            .filter(|(door, _)| is_variable(door))
            .map(|(_, at)| *at);
        let named = by_routes.chain(by_variables).filter_map(|at| self.rules.get(at));
        let unknown = self.unknown.iter().map(|unknown| &unknown.rule);
        let takes = |rule: &&SurfaceRule| rule.takes_method(&request.method);
        let mut verdicts = named
            .filter(takes)
            .chain(unknown)
            .map(|rule| SurfaceVerdict::of(rule, request));
        verdicts.find(SurfaceVerdict::is_refused)
    }

    /// True if rules take pages by the variables of their forms.
    pub fn read_forms(&self, request: &SurfaceRequest<'_>) -> bool {
        let is_page = request
            .readings()
            .any(|reading| reading.target == SiteTarget::Page);
        is_page && self.pages.iter().any(|(door, _)| is_variable(door))
    }

    /// The verdict about calls of these methods to `xmlrpc.php`, of which `None` may be any; none if no rule takes one,
    /// or an earlier rule took the request by its head.
    pub fn judge_calls(
        &self,
        request: &SurfaceRequest<'_>,
        called: &[Option<String>],
    ) -> Option<SurfaceVerdict<'_>> {
        let is_called = |methods: &&[&str]| {
            let mut called = called.iter().map(Option::as_deref);
            called.any(|call| call.is_none_or(|call| methods.contains(&call)))
        };
        let found = self.first(&self.calls, &request.method, is_called)?;
        let by_head = self.first(&self.scripts, &request.method, |script| *script == XML_RPC);
        let rule = self.rules.get(found)?;
        by_head
            .is_none_or(|earlier| found < earlier)
            .then(|| SurfaceVerdict::of(rule, request))
    }

    /// True if rules take a request by the methods that its body calls.
    pub fn read_calls(&self, request: &SurfaceRequest<'_>) -> bool {
        let is_script = matches!(&request.target, SiteTarget::Script(name) if name == XML_RPC);
        is_script && request.method == Method::POST && !self.calls.is_empty()
    }

    fn page(&self, request: &SurfaceRequest<'_>) -> Option<usize> {
        let names = self.pages.iter().filter_map(|(door, _)| match door {
            SiteDoor::PageWith(name, _) => Some(*name),
            _ => None,
        });
        let query = request.variables(names);
        let name = request.page_name();
        self.first(&self.pages, &request.method, |door| match door {
            SiteDoor::PageNamed(beginning, end) => {
                let below = name.strip_prefix(beginning);
                below.is_some_and(|below| below.ends_with(end))
            }
            door => is_set(door, query.as_ref()),
        })
    }

    /// The position of the first rule with a door that is meant, if it takes the method.
    fn first<D>(
        &self,
        doors: &[(D, usize)],
        method: &Method,
        is_meant: impl Fn(&D) -> bool,
    ) -> Option<usize> {
        let takes = |at: usize| self.rules.get(at).is_some_and(|rule| rule.takes_method(method));
        let mut doors = doors.iter();
        doors
            .find(|(door, at)| is_meant(door) && takes(*at))
            .map(|(_, at)| *at)
    }
}

const fn is_variable(door: &SiteDoor) -> bool {
    matches!(door, SiteDoor::PageWith(..))
}

/// Returns true if a variable is set as a door names it. WordPress ignores one that is empty.
fn is_set(door: &SiteDoor, variables: Option<&PhpArray>) -> bool {
    let (SiteDoor::PageWith(name, wanted), Some(variables)) = (door, variables) else {
        return false;
    };
    match (variables.get(name), wanted) {
        (None, _) => false,
        (Some(Value::String(text)), Some(wanted)) => **text == *wanted.as_bytes(),
        (Some(Value::String(text)), None) => !text.is_empty() && **text != *b"0",
        (Some(_), wanted) => wanted.is_none(),
    }
}

/// The namespaces that `[surface_default]` does not take: those that are open, of its settings, and of rules.
pub(super) fn known_namespaces(settings: &Settings) -> Vec<String> {
    let rules = settings.surface.iter().filter(|rule| rule.mode != Mode::Off);
    let patterns = rules
        .flat_map(|rule| &rule.routes)
        .flat_map(SurfacePattern::routes);
    let open = OPEN.into_iter().map(str::to_owned);
    let known = open.chain(settings.surface_default.known.iter().cloned());
    let known = known.chain(patterns.map(|pattern| pattern.namespace()));
    known.filter(|namespace| !namespace.is_empty()).collect()
}

// === impl UnknownNamespaces ===

impl UnknownNamespaces {
    fn of(settings: &Settings) -> Option<Self> {
        let default = &settings.surface_default;
        let callers = default.unknown.filter(|_| default.mode != Mode::Off)?;
        Some(Self {
            rule: SurfaceRule {
                name: UNKNOWN.to_owned(),
                callers,
                mode: default.mode,
                ..SurfaceRule::default()
            },
            known: known_namespaces(settings),
        })
    }

    /// The rule, if it takes a route. The index of a root belongs to no namespace.
    fn takes(&self, route: &str) -> Option<&SurfaceRule> {
        let is_known = route.is_empty() || self.known.iter().any(|known| is_below(route, known));
        (!is_known).then_some(&self.rule)
    }
}
