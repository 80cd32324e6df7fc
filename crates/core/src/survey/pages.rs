//! Addresses on a page that lead clients past the edge.

use std::collections::BTreeMap;

use crate::pages::tags;
use crate::settings::{BackendSettings, OriginHost};
use url::Url;

/// The attributes that hold addresses which browsers follow.
const ADDRESSES: [&str; 3] = ["href", "src", "action"];

/// The hosts of the site, other than the public one, that addresses on its page name, with the number of addresses.
pub(super) fn past_the_edge(page: &str, asked: &Url, site: &BackendSettings) -> BTreeMap<String, usize> {
    let public = site.public_url.as_ref().and_then(OriginHost::of);
    let own = [
        OriginHost::of(&site.origin.url),
        OriginHost::of(asked),
        site.origin.host.clone(),
        site.origin.advertised_url.as_ref().and_then(OriginHost::of),
    ];
    let mut hosts = BTreeMap::new();
    for tag in tags(page) {
        for address in ADDRESSES.iter().filter_map(|name| tag.attribute(name)) {
            let host = asked.join(address).ok().filter(Url::has_host);
            let Some(host) = host.as_ref().and_then(OriginHost::of) else {
                continue;
            };
            let is_absolute = address.starts_with("http") || address.starts_with("//");
            if is_absolute && own.contains(&Some(host.clone())) && public.as_ref() != Some(&host) {
                *hosts.entry(host.to_string()).or_default() += 1;
            }
        }
    }
    hosts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    #[test]
    fn addresses_of_the_site_that_are_not_public_lead_past_the_edge() {
        let mut settings = Settings::for_origin("http://10.0.0.5:8080/wp-json".parse().unwrap());
        let asked = Url::parse("https://events.example.org/").unwrap();
        settings.public_url = Some(asked.clone());
        let page = r#"<a href="http://10.0.0.5:8080/events/">x</a><img src='//10.0.0.5:8080/a.png'><a href="/b/">
            <form action="https://events.example.org/x"><a href="https://elsewhere.example/">"#;
        let found = past_the_edge(page, &asked, &settings.site());
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            [("10.0.0.5:8080".to_owned(), 2)]
        );
    }
}
