//! The report about a site: its namespaces, routes and scripts, who may call them, how they were called, and proposals.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::call_counts::CallSums;
use super::listed_routes::{ListedRoute, ListedRoutes};
use super::paste::toml;
use super::proposals::{Proposals, ProposedDefault, ProposedRule};
use super::route_calls::Calls;
use super::route_shape::RouteShape;
use super::surface_scope::SurfaceScope;
use crate::companion::site_contract::SiteContract;

/// The report about a site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SurfaceReport {
    /// The REST root of the site.
    pub site: String,
    /// Whether the list of its routes was read.
    pub is_listed: bool,
    /// The time for which calls were counted; none: nobody counts.
    pub observed: Option<Observed>,
    /// The namespaces, sorted.
    pub namespaces: Vec<NamespaceRow>,
    /// The scripts that were called, sorted.
    pub scripts: Vec<ScriptRow>,
    /// Calls of names that are not there, and calls that cannot be read surely.
    pub others: Calls,
    /// The rules that the counts suggest.
    pub proposals: Vec<ProposedRule>,
    /// The treatment of all other namespaces that the counts suggest.
    pub default: Option<ProposedDefault>,
    /// Why no more is proposed.
    pub hints: Vec<String>,
    /// The proposals as lines of the configuration; empty without proposals.
    pub toml: String,
    /// What the companion plugin takes once these rules and those of the configuration are enforced.
    pub companion: Option<String>,
}

/// The time for which calls were counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observed {
    /// Its length in seconds, at most seven days.
    pub seconds: u64,
}

/// A namespace with its routes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamespaceRow {
    /// Its name; empty for the index of the site.
    pub namespace: String,
    /// Whether the edge judges its calls: they are not counted here, and no rule is proposed.
    pub is_judged: bool,
    /// Its listed routes, sorted.
    pub routes: Vec<RouteRow>,
    /// Calls of its routes that the site does not list.
    pub unlisted: Calls,
}

/// A listed route.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RouteRow {
    /// Its pattern, `wp/v2/users/*`.
    pub route: String,
    /// Its methods.
    pub methods: Vec<String>,
    /// The methods that anybody may call, because the site checks no permission; none: the site does not say.
    pub open_methods: Option<Vec<String>>,
    /// Its calls.
    pub calls: Calls,
}

/// A script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptRow {
    /// Its name, `xmlrpc.php`.
    pub script: String,
    /// Its calls.
    pub calls: Calls,
}

// === impl SurfaceReport ===

impl SurfaceReport {
    /// The report about the routes of a site.
    pub fn of_site(site: &str, routes: Option<&ListedRoutes>, scope: &SurfaceScope) -> Self {
        let none = ListedRoutes::default();
        let listed = routes.unwrap_or(&none);
        let index = [""].into_iter().filter(|_| routes.is_some());
        let names = index.chain(listed.namespaces().iter().map(String::as_str));
        let mut namespaces: Vec<NamespaceRow> = names.map(|name| NamespaceRow::new(name, scope)).collect();
        for route in listed.routes() {
            let row = namespaces.iter_mut().find(|row| row.namespace == route.namespace);
            if let Some(row) = row {
                row.routes.push(RouteRow::new(route));
            }
        }
        for row in &mut namespaces {
            row.routes.sort_by(|one, other| one.route.cmp(&other.route));
        }
        Self {
            site: site.to_owned(),
            is_listed: routes.is_some(),
            observed: None,
            namespaces,
            scripts: Vec::new(),
            others: Calls::default(),
            proposals: Vec::new(),
            default: None,
            hints: Vec::new(),
            toml: String::new(),
            companion: None,
        }
    }

    /// The report of an edge that serves the calendar alone.
    pub fn unserved(site: &str, scope: &SurfaceScope) -> Self {
        let hint = "`other` is not \"forward\": requests for the rest of the site do not pass this edge";
        Self {
            hints: vec![hint.to_owned()],
            ..Self::of_site(site, None, scope)
        }
    }

    /// Adds who may call each route, as the companion plugin says it.
    #[must_use]
    pub fn opened_by(mut self, contract: &SiteContract) -> Self {
        let mut open: HashMap<String, Vec<&str>> = HashMap::new();
        for route in &contract.routes {
            let Some(shape) = RouteShape::read(&route.route) else {
                continue;
            };
            let endpoints = route.endpoints.iter().filter(|endpoint| endpoint.open);
            let methods = endpoints
                .flat_map(|endpoint| &endpoint.methods)
                .map(|name| &**name);
            open.entry(shape.to_string()).or_default().extend(methods);
        }
        for row in self.namespaces.iter_mut().flat_map(|row| &mut row.routes) {
            let methods = row.methods.iter();
            row.open_methods = open.get(&row.route).map(|open| {
                methods
                    .filter(|method| open.contains(&method.as_str()))
                    .cloned()
                    .collect()
            });
        }
        self
    }

    /// Adds what was counted, and the proposals that follow.
    #[must_use]
    pub fn counted(mut self, sums: CallSums, scope: &SurfaceScope) -> Self {
        self.observed = Some(Observed {
            seconds: sums.observed.as_secs(),
        });
        for row in self.namespaces.iter_mut().flat_map(|row| &mut row.routes) {
            row.calls = sums.routes.get(row.route.as_str()).copied().unwrap_or_default();
        }
        for (name, calls) in &sums.unlisted {
            self.note_unlisted(name, *calls, scope);
        }
        let script = |(name, calls): (Box<str>, Calls)| ScriptRow {
            script: name.into(),
            calls,
        };
        self.scripts = sums.scripts.into_iter().map(script).collect();
        self.others = sums.others;
        self.propose(sums.observed, scope);
        self
    }

    fn propose(&mut self, observed: Duration, scope: &SurfaceScope) {
        let Proposals {
            rules,
            default,
            hints,
        } = Proposals::of(self, observed, scope);
        self.toml = toml(&rules, default.as_ref());
        if !self.toml.is_empty() {
            self.companion = scope.companion_list(&rules, default.as_ref());
        }
        self.proposals = rules;
        self.default = default;
        self.hints = hints;
    }

    /// Notes the calls of routes that a namespace does not list; its row is added if there is none.
    fn note_unlisted(&mut self, name: &str, calls: Calls, scope: &SurfaceScope) {
        let found = self
            .namespaces
            .binary_search_by(|row| row.namespace.as_str().cmp(name));
        let place = found.unwrap_or_else(|place| {
            self.namespaces.insert(place, NamespaceRow::new(name, scope));
            place
        });
        if let Some(row) = self.namespaces.get_mut(place) {
            row.unlisted = calls;
        }
    }
}

// === impl Observed ===

impl fmt::Display for Observed {
    /// Writes days and hours.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hours = self.seconds / 3600;
        let counted = |count: u64, unit: &str| match count {
            1 => format!("1 {unit}"),
            _ => format!("{count} {unit}s"),
        };
        match (hours / 24, hours % 24) {
            (0, hours) => f.write_str(&counted(hours, "hour")),
            (days, 0) => f.write_str(&counted(days, "day")),
            (days, hours) => write!(f, "{} {}", counted(days, "day"), counted(hours, "hour")),
        }
    }
}

// === impl NamespaceRow ===

impl NamespaceRow {
    fn new(name: &str, scope: &SurfaceScope) -> Self {
        Self {
            namespace: name.to_owned(),
            is_judged: scope.judges(name),
            routes: Vec::new(),
            unlisted: Calls::default(),
        }
    }

    /// The calls of all its routes.
    pub fn calls(&self) -> Calls {
        let listed = self.routes.iter().map(|route| route.calls);
        listed.fold(self.unlisted, |mut sum, calls| {
            sum += calls;
            sum
        })
    }
}

// === impl RouteRow ===

impl RouteRow {
    fn new(route: &ListedRoute) -> Self {
        Self {
            route: route.pattern.clone(),
            methods: route.methods.iter().map(ToString::to_string).collect(),
            open_methods: None,
            calls: Calls::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::settings::Settings;

    #[test]
    fn the_companion_plugin_says_who_may_call_what() {
        let routes = json!({"routes": {
            "/wp/v2/posts/(?P<id>[\\d]+)": {"namespace": "wp/v2", "methods": ["GET", "POST"]},
            "/wp/v2/settings": {"namespace": "wp/v2", "methods": ["GET"]},
            "/odd/v1/x": {"namespace": "odd/v1", "methods": ["GET"]},
        }});
        let endpoint = |methods: &[&str], open| json!({"methods": methods, "open": open, "arguments": []});
        let contract = json!({
            "contract": 1, "versions": {"wordpress": "6.7", "php": "8.3", "companion": "1"}, "locale": "en_US",
            "between": null, "routes": [
                {"route": "/wp/v2/posts/(?P<id>[\\d]+)", "namespace": "wp/v2",
                 "endpoints": [endpoint(&["GET"], true), endpoint(&["POST", "PUT"], false)]},
                {"route": "/wp/v2/settings", "namespace": "wp/v2", "endpoints": [endpoint(&["GET"], false)]},
            ],
        });
        let contract = SiteContract::parse(contract.to_string().as_bytes()).expect("a contract");
        let routes = ListedRoutes::read(routes.to_string().as_bytes()).expect("an index");
        let scope = SurfaceScope::of(&Settings::for_origin(
            "http://wp.example/wp-json".parse().expect("a URL"),
        ));
        let report = SurfaceReport::of_site("", Some(&routes), &scope).opened_by(&contract);
        let rows = report.namespaces.iter().flat_map(|row| &row.routes);
        let open: Vec<_> = rows
            .map(|row| {
                (
                    row.route.as_str(),
                    row.open_methods.as_ref().map(|open| open.join(",")),
                )
            })
            .collect();
        assert_eq!(
            open,
            [
                ("odd/v1/x", None),
                ("wp/v2/posts/*", Some("GET".to_owned())),
                ("wp/v2/settings", Some(String::new())),
            ]
        );
    }

    #[test]
    fn times_are_told_in_days_and_hours() {
        for (hours, expected) in [
            (0, "0 hours"),
            (1, "1 hour"),
            (24, "1 day"),
            (51, "2 days 3 hours"),
        ] {
            let observed = Observed {
                seconds: hours * 3600,
            };
            assert_eq!(observed.to_string(), expected);
        }
    }
}
