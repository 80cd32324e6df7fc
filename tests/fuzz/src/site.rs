//! The site the targets stand for: two language roots, the plugin's own namespace.

use calendar_edge_core::settings::{OriginNamespace, Settings};
use calendar_edge_judge::call::credentials::Credentials;
use calendar_edge_judge::call::{Judge, Judgement, RawCall};
use calendar_edge_judge::contract::PLUGIN_NAMESPACE;
use calendar_edge_judge::routing::{Roots, Target};
use calendar_edge_judge::wordpress::payload::ContentHeaders;

use crate::Request;

/// Settings under which a canonical path is a public path as well.
///
/// # Panics
/// Never: the address is one.
pub fn namespaced_settings() -> Settings {
    let url = "http://origin.example/wp-json".parse().expect("a URL");
    let mut settings = Settings::for_origin(url);
    settings.namespaces = vec![PLUGIN_NAMESPACE.to_owned()];
    settings.origin.namespace = OriginNamespace::set(PLUGIN_NAMESPACE);
    let mut german = settings.roots[0].clone();
    german.path = "/de/wp-json".to_owned();
    settings.roots.push(german);
    settings
}

/// The paths of the public roots, in the settings' order.
pub const fn public_roots() -> [&'static str; 2] {
    ["/wp-json", "/de/wp-json"]
}

/// The judgement on a request; none where its target leads past the judge, or its credentials are not accepted.
pub fn judged(roots: &Roots, judge: &Judge, request: &Request) -> Option<Judgement> {
    let Target::Calendar(target) = roots.locate(&request.method, &request.path, request.query.as_deref())
    else {
        return None;
    };
    let profile = judge.enforced_profile(target.operation);
    let credentials = Credentials::read(&request.headers, profile).ok()?;
    Some(judge.judge(&RawCall {
        method: &request.method,
        target: &target,
        credentials: &credentials,
        content: ContentHeaders::of(&request.headers),
        body: &request.body,
    }))
}
