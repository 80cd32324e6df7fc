//! The documents of the admin listener that depend only on the settings and on the sites' indexes.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;
use url::Url;

use super::status::{root_figures, setting_facts};
use crate::backend::{SiteHealth, SiteIndexes};
use calendar_edge_core::describe::{OpenApiOptions, PublicRoot, openapi};
use calendar_edge_core::settings::{ListenAddress, Settings};
use calendar_edge_judge::contract::TablesInForce;

/// The documents, rendered.
#[derive(Debug, Clone)]
pub(crate) struct Pages {
    /// The `OpenAPI` document of the public API.
    pub(super) openapi: Bytes,
    /// The tables in force.
    pub(super) tables: TablesInForce,
    /// The settings that operators look at.
    pub(super) facts: Value,
    /// The settings in use, with the words of the sites.
    pub(super) settings: Settings,
    /// The roots, compared with the table.
    pub(super) roots: Vec<(String, usize)>,
    /// Looks at the sites.
    pub(crate) site_health: SiteHealth,
}

// === impl Pages ===

impl Pages {
    /// Renders the documents for these settings and the known indexes of the sites.
    pub(crate) fn new(settings: &Settings, indexes: &SiteIndexes, site_health: SiteHealth) -> Self {
        let (informed, tables) = indexes.informed(settings.clone());
        let table = Arc::new(tables.joined());
        let base = public_base(settings);
        let options = OpenApiOptions {
            roots: settings
                .roots
                .iter()
                .map(|root| PublicRoot {
                    url: format!("{base}{}", root.path),
                    language: root.language.clone(),
                })
                .collect(),
            namespaces: settings.public_namespaces(),
            table: Arc::clone(&table),
        };
        Self {
            openapi: Bytes::from(openapi(&options).to_string()),
            facts: setting_facts(settings, &tables),
            roots: root_figures(settings, &tables),
            settings: informed,
            tables,
            site_health,
        }
    }
}

/// The public URLs of the roots. A client of the admin listener would resolve a path against that listener, so a path
/// alone is used only for listeners without a network address.
fn public_base(settings: &Settings) -> String {
    if let Some(url) = &settings.public_url {
        return Url::as_str(url).trim_end_matches('/').to_owned();
    }
    let named = settings.listen.iter().find_map(|listen| match listen {
        ListenAddress::Tcp(address) => Some(("http", address)),
        ListenAddress::Tls(address) => Some(("https", address)),
        ListenAddress::Unix(_) | ListenAddress::Systemd(_) | ListenAddress::SystemdTls(_) => None,
    });
    named
        .filter(|(_, address)| !address.ip().is_unspecified() && address.port() != 0)
        .map(|(scheme, address)| format!("{scheme}://{address}"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::backend::SharedBackends;
    use crate::telemetry::Metrics;
    use calendar_edge_core::gateway::circle::CircleKey;
    use calendar_edge_core::settings::{OriginNamespace, Root};
    use calendar_edge_judge::contract::SPECIFIED_NAMESPACE;

    fn settings() -> Settings {
        Settings::for_origin("https://wp.example/wp-json".parse().expect("a URL"))
    }

    fn document(settings: &Settings) -> Value {
        let site = settings.site();
        let shared =
            SharedBackends::new(&site, Metrics::new(), &Arc::new(CircleKey::new(None)), 0).expect("clients");
        let pages = Pages::new(settings, &SiteIndexes::default(), SiteHealth::new(&site, &shared));
        serde_json::from_slice(&pages.openapi).expect("JSON")
    }

    fn servers(settings: &Settings) -> Vec<String> {
        let document = document(settings);
        let servers = document["servers"].as_array().expect("a list").iter();
        servers
            .filter_map(|server| server["url"].as_str().map(str::to_owned))
            .collect()
    }

    #[test]
    fn every_root_and_namespace_is_a_server_with_its_language() {
        let mut settings = settings();
        settings.public_url = Some("https://events.example".parse().expect("a URL"));
        settings.namespaces = vec!["calendar/events/v1".to_owned(), "tribe/events/v1".to_owned()];
        settings.roots.push(Root {
            path: "/de/wp-json".to_owned(),
            language: Some("de".to_owned()),
            ..settings.roots[0].clone()
        });
        assert_eq!(
            servers(&settings),
            [
                "https://events.example/wp-json/calendar/events/v1",
                "https://events.example/wp-json/tribe/events/v1",
                "https://events.example/de/wp-json/calendar/events/v1",
                "https://events.example/de/wp-json/tribe/events/v1",
            ]
        );
        let document = document(&settings);
        assert_eq!(document["servers"][3]["description"], "REST root (de)");
        let namespace = &document["paths"]["/"]["get"]["parameters"][0]["schema"];
        assert_eq!(
            namespace["enum"],
            json!(["calendar/events/v1", "tribe/events/v1"])
        );
    }

    #[test]
    fn without_a_public_url_the_listener_is_the_server() {
        let listen = |listen: &str| {
            let mut settings = settings();
            settings.origin.namespace = OriginNamespace::set(SPECIFIED_NAMESPACE);
            settings.listen = vec![match listen.strip_prefix("tls:") {
                Some(address) => ListenAddress::Tls(address.parse().expect("an address")),
                None => ListenAddress::Tcp(listen.parse().expect("an address")),
            }];
            servers(&settings).concat()
        };
        assert_eq!(
            listen("127.0.0.1:8787"),
            "http://127.0.0.1:8787/wp-json/calendar/events/v1"
        );
        assert_eq!(
            listen("tls:[::1]:8443"),
            "https://[::1]:8443/wp-json/calendar/events/v1"
        );
        assert_eq!(listen("0.0.0.0:8787"), "/wp-json/calendar/events/v1");
        assert_eq!(listen("127.0.0.1:0"), "/wp-json/calendar/events/v1");
    }
}
