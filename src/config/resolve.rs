//! The second stage: what was typed becomes settings, or says why it cannot.

use std::collections::{HashMap, HashSet};

use url::Url;

use super::check;
use super::draft::{Draft, OperationDraft, Places, RootDraft};
use super::listening::TlsSettings;
use super::problem::{Complaint, Finding, Impossible, Place, Problems};
use super::settings::{
    AdminSettings, OperationSettings, OriginSettings, Root, Settings, without_trailing_slash,
};
use crate::contract::OperationId;
use crate::problem::Words;

/// The public path of the only root unless roots are listed.
const DEFAULT_ROOT: &str = "/wp-json";

/// The settings, unless the origin is unknown; problems that are found on the way are noted.
pub(super) fn resolve(mut draft: Draft, problems: &mut Problems) -> Option<Settings> {
    check::listeners(&draft, problems);
    check::tls(&draft, problems);
    check::proxies(&draft, problems);
    check::names(&draft, problems);
    check::sizes(&draft, problems);
    if draft.places.typed("origin.url").is_none() {
        let finding = Finding::from(Complaint::Missing("origin.url"))
            .expected("the REST root of the site, in the file, as --origin or as CALENDAR_EDGE_ORIGIN");
        problems.add(&Place::Absent, finding);
    }
    let roots = roots(draft.roots.take(), draft.origin.url.as_ref(), problems);
    check::paths(&roots, &draft, problems);
    let roots = roots.into_iter().map(|(root, _)| root).collect();
    let url = draft.origin.url.clone()?;
    Some(settle(draft, url, roots))
}

impl Settings {
    /// Every default, for one site: `url` is its REST root (`https://wp.example.org/wp-json`), served at the
    /// public root `/wp-json`. Slashes at the end of `url` are dropped.
    pub fn for_origin(url: Url) -> Self {
        let url = without_trailing_slash(url);
        let roots = vec![only_root(&url)];
        settle(Draft::new(), url, roots)
    }
}

fn settle(draft: Draft, url: Url, roots: Vec<Root>) -> Settings {
    Settings {
        listen: draft.listen,
        public_url: draft.public_url,
        hosts: draft.hosts,
        namespaces: draft.namespaces,
        mode: draft.mode,
        profile: draft.profile,
        other: draft.other,
        writes: draft.writes,
        read_only: draft.read_only,
        write_addresses: draft.write_addresses,
        writers: draft.writers,
        authorization_schemes: draft.authorization_schemes,
        allow_author: draft.allow_author,
        allow_jsonp: draft.allow_jsonp,
        image_hosts: draft.image_hosts,
        operations: operations(draft.operations),
        origin: OriginSettings {
            url,
            namespace: draft.origin.namespace,
            advertised_url: draft.origin.advertised_url,
            tunnel_delete: draft.origin.tunnel_delete,
            max_in_flight: draft.origin.max_in_flight,
            max_waiting: draft.origin.max_waiting,
            site_in_flight: draft.origin.site_in_flight,
        },
        roots,
        admin: draft.admin_listen.map(|listen| AdminSettings { listen }),
        tls: draft
            .tls
            .certificate
            .zip(draft.tls.key)
            .map(|(certificate, key)| TlsSettings { certificate, key }),
        trusted_proxies: draft.trusted_proxies,
        proxy_protocol: draft.proxy_protocol,
        limits: draft.limits,
        timeouts: draft.timeouts,
        rate_limits: draft.rate_limits,
        breaker: draft.breaker,
        http2: draft.http2,
        cors: draft.cors,
        log: draft.log,
    }
}

/// The root that stands where none is typed.
fn only_root(origin: &Url) -> Root {
    Root {
        language: None,
        path: DEFAULT_ROOT.to_owned(),
        origin_url: origin.clone(),
        words: Words::english(),
    }
}

/// The roots whose path and origin are known, with the places of their paths.
fn roots(
    drafts: Option<Vec<RootDraft>>,
    origin: Option<&Url>,
    problems: &mut Problems,
) -> Vec<(Root, Place)> {
    let Some(drafts) = drafts else {
        return origin
            .map(|url| (only_root(url), Place::Absent))
            .into_iter()
            .collect();
    };
    let only = drafts.len() == 1;
    let mut roots: Vec<(Root, Place)> = Vec::new();
    let mut paths = HashSet::new();
    for draft in drafts {
        let Some(path) = path(&draft, &draft.places, problems) else {
            continue;
        };
        let place = draft.places.of("roots.path").clone();
        if !paths.insert(path.clone()) {
            let reason = Impossible::Duplicate(path);
            problems.add(&place, Finding::impossible("roots.path", reason));
            continue;
        }
        let falls_back = only || path == DEFAULT_ROOT;
        let typed = draft.places.typed("roots.origin_url").is_some();
        if !typed && !falls_back {
            problems.add(&place, missing_origin_url(&path, origin));
        }
        let fallback = origin.filter(|_| falls_back).cloned();
        if let Some(origin_url) = draft.origin_url.or(fallback) {
            let root = Root {
                language: draft.language,
                path,
                origin_url,
                words: draft.words,
            };
            roots.push((root, place));
        }
    }
    roots
}

fn path(draft: &RootDraft, places: &Places, problems: &mut Problems) -> Option<String> {
    if places.typed("roots.path").is_none() {
        let finding =
            Finding::from(Complaint::Missing("roots.path")).expected("a public path, like \"/de/wp-json\"");
        problems.add(&draft.table, finding);
    }
    draft.path.clone()
}

fn missing_origin_url(path: &str, origin: Option<&Url>) -> Finding {
    let example = origin.and_then(|url| url.join(path).ok());
    let help = example.map(|url| format!("if the site has the same path: origin_url = \"{url}\""));
    Finding::from(Complaint::Missing("roots.origin_url"))
        .expected("this root's REST root at the site; only the root at /wp-json falls back to `origin.url`")
        .help(help)
}

fn operations(drafts: Vec<OperationDraft>) -> HashMap<OperationId, OperationSettings> {
    drafts
        .into_iter()
        .map(|draft| (draft.id, draft.settings))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_is_enough_for_complete_settings() {
        let url = Url::parse("https://wp.example.org/wp-json//").expect("an address");
        let settings = Settings::for_origin(url);
        assert_eq!(settings.origin.url.as_str(), "https://wp.example.org/wp-json");
        assert_eq!(settings.roots[0].origin_url, settings.origin.url);
        assert_eq!(settings.roots[0].path, "/wp-json");
        assert_eq!(settings.namespaces, ["calendar/events/v1"]);
    }
}
