//! A backend: the site or a candidate, with everything that exchanges with it depend on.

use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use super::{
    BreakerSettings, CandidateSettings, CredentialsPolicy, MarkKey, OriginNamespace, OriginSettings,
    OtherTraffic, PRIMARY, Root, Settings, Timeouts,
};

/// Everything that exchanges with one backend depend on, and the presentation of its responses.
///
/// [`Settings::site`] and [`Settings::candidates`] make it, so that each backend has the same rules, and its own clients,
/// permits, breaker and names.
#[derive(Debug, Clone)]
pub struct BackendSettings {
    /// The name in rules, metrics and log lines; [`PRIMARY`] for the site.
    pub name: String,
    /// Its address, its names, and the connections to it.
    pub origin: OriginSettings,
    /// The REST roots that it serves, at the positions of [`Settings::roots`].
    pub roots: Vec<Root>,
    /// The treatment of calls with credentials.
    pub credentials: CredentialsPolicy,
    /// The key of the identities of callers, where it gets them instead of credentials.
    pub identity_key: Option<MarkKey>,
    /// The longest time for which the site's word about a caller holds.
    pub identity_lifetime: Duration,
    /// The timeouts, of which those toward the origin and for the rest of the site are used.
    pub timeouts: Timeouts,
    /// The circuit breaker for reads.
    pub breaker: BreakerSettings,
    /// Maximum bytes of a response (502).
    pub response_bytes: u64,
    /// Maximum bytes of a response that is held until complete; larger responses stream.
    pub response_buffer_bytes: usize,
    /// Maximum bytes of all responses held in memory for their clients; beyond it responses stream.
    pub response_buffer_total: usize,
    /// Scheme and authority that clients use; see [`Settings::public_url`].
    pub public_url: Option<Url>,
    /// The namespace of clients that name none.
    pub public_namespace: String,
    /// The treatment of requests outside of the calendar API: forwarded to it, or refused.
    pub other: OtherTraffic,
}

/// The file of the indexes in [`Settings::state_dir`], unless the settings name another.
const INDEX_FILE: &str = "indexes.json";

// === impl Settings ===

impl Settings {
    /// A file of this name in [`Settings::state_dir`]; none if nothing outlives a restart.
    pub fn state_file(&self, name: &str) -> Option<PathBuf> {
        self.state_dir.as_ref().map(|directory| directory.join(name))
    }

    /// The site, which serves all roots.
    pub fn site(&self) -> BackendSettings {
        let in_state_dir = || self.state_file(INDEX_FILE);
        BackendSettings {
            name: PRIMARY.to_owned(),
            origin: OriginSettings {
                index_file: self.origin.index_file.clone().or_else(in_state_dir),
                ..self.origin.clone()
            },
            roots: self.roots.iter().map(|root| self.with_contract(root)).collect(),
            credentials: CredentialsPolicy::Forward,
            identity_key: None,
            identity_lifetime: Duration::ZERO,
            timeouts: self.timeouts.clone(),
            breaker: self.breaker.clone(),
            response_bytes: self.limits.response_bytes,
            response_buffer_bytes: self.limits.response_buffer_bytes,
            response_buffer_total: self.limits.response_buffer_total,
            public_url: self.public_url.clone(),
            public_namespace: self.namespaces.first().cloned().unwrap_or_default(),
            other: self.other,
        }
    }

    /// A root with the contract that its clients get.
    fn with_contract(&self, root: &Root) -> Root {
        Root {
            wanted: self.answers,
            ..root.clone()
        }
    }

    /// The backend of a name, if the settings have it.
    pub fn backend(&self, name: &str) -> Option<BackendSettings> {
        let mut all = self.candidates().chain([self.site()]);
        all.find(|backend| backend.name == name)
    }

    /// The candidates, in the order of [`Settings::backends`].
    pub fn candidates(&self) -> impl Iterator<Item = BackendSettings> {
        self.backends.iter().map(|candidate| self.candidate(candidate))
    }

    /// A candidate serves the first root only.
    fn candidate(&self, own: &CandidateSettings) -> BackendSettings {
        let first = self.roots.iter().take(1).map(|root| self.with_contract(root));
        let at_backend = |root: Root| Root {
            origin_url: own.url.clone(),
            ..root
        };
        BackendSettings {
            name: own.name.clone(),
            origin: OriginSettings {
                software: own.kind,
                namespace: OriginNamespace::set(own.namespace.as_str()),
                advertised_url: own.advertised_url.clone(),
                max_in_flight: own.max_in_flight,
                ..OriginSettings::at(own.url.clone())
            },
            roots: first.map(at_backend).collect(),
            credentials: own.credentials,
            identity_key: own.identity_key.clone(),
            identity_lifetime: own.identity_lifetime,
            other: OtherTraffic::Refuse,
            ..self.site()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_candidate_has_its_own_names_and_the_rules_of_the_site() {
        let mut settings = Settings::for_origin("https://wp.example/wp-json".parse().unwrap());
        settings.public_url = Some("https://events.example".parse().unwrap());
        settings.other = OtherTraffic::Forward;
        settings.origin.tunnel_delete = true;
        settings.breaker.failures = 7;
        settings.timeouts.origin_read = Duration::from_secs(4);
        settings.roots.push(Root {
            path: "/de/wp-json".to_owned(),
            ..settings.roots[0].clone()
        });
        let mut next = CandidateSettings::at("next".to_owned(), "http://127.0.0.1:9000/api".parse().unwrap());
        next.max_in_flight = 3;
        next.identity_lifetime = Duration::from_secs(5);
        settings.backends.push(next.clone());
        let backend = settings.backend("next").unwrap();
        assert_eq!((&backend.name, &backend.origin.url), (&next.name, &next.url));
        assert_eq!(backend.identity_lifetime, next.identity_lifetime);
        assert_eq!(backend.roots.len(), 1);
        assert_eq!(backend.roots[0].origin_url, next.url);
        assert_eq!(backend.roots[0].path, "/wp-json");
        assert_eq!(
            (backend.origin.max_in_flight, backend.origin.tunnel_delete),
            (3, false)
        );
        assert_eq!(backend.timeouts.origin_read, Duration::from_secs(4));
        assert_eq!(backend.public_url, settings.public_url);
        assert_eq!(backend.breaker.failures, 7);
        assert_eq!(backend.other, OtherTraffic::Refuse);
        assert_eq!(settings.candidates().count(), 1);
        assert!(settings.backend("other").is_none());
        assert_eq!(settings.backend(PRIMARY).unwrap().roots.len(), 2);
    }
}
