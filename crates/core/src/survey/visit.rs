//! One page of a site, with the bounds of discovery; redirects within the site are followed and shown.

use std::time::Duration;

use url::{Position, Url};

use super::addresses::loop_advice;
use super::check_line::{CheckLine, LineKind};
use super::obstacle::{Obstacle, ObstacleKind};
use super::responses::{Responses, SiteResponse};
use super::surveyed_site::SurveyedSite;
use crate::settings::{BackendSettings, OriginHost, OriginSettings, Settings};

/// A page, and the address that responded with it.
pub(super) struct Visited<'a> {
    pub(super) url: Url,
    pub(super) response: &'a SiteResponse,
}

/// Maximum number of redirects from one address.
const MOST_REDIRECTS: usize = 5;

/// Maximum size of one response, in bytes.
const MOST_BYTES: u64 = 8 << 20;

/// Maximum time to connect. Settings of the file do not exist yet.
const CONNECT: Duration = Duration::from_secs(5);

/// A site, and the form of requests to it.
#[derive(Debug, Clone)]
pub struct SiteRequest {
    /// The address of its front page.
    pub address: Url,
    /// The namespace of the calendar that the operator names.
    pub namespace: Option<String>,
    /// The address that clients use, where the operator names it.
    pub public_url: Option<Url>,
    /// The authorities, credentials and secret by which it lets the edge in.
    pub access: OriginSettings,
    /// The public address whose host requests name; none: they name the host of their URL.
    pub named: Option<Url>,
}

// === impl SiteRequest ===

impl SiteRequest {
    /// The public address, where its host is another than the one that gets the request.
    pub fn other_name(&self) -> Option<&Url> {
        let public = self.public_url.as_ref();
        public.filter(|public| OriginHost::of(public) != OriginHost::of(&self.address))
    }

    /// The site of this URL, with the bounds of discovery.
    pub(super) fn site(&self, url: &Url) -> BackendSettings {
        let mut site = Settings::for_origin(url.clone()).site();
        site.response_bytes = MOST_BYTES;
        site.timeouts.origin_connect = CONNECT;
        site.origin = OriginSettings {
            url: site.origin.url,
            host: self.host(),
            ..self.access.clone()
        };
        site.public_url.clone_from(&self.named);
        site
    }

    /// The host that requests name.
    fn host(&self) -> Option<OriginHost> {
        self.named.as_ref().and_then(OriginHost::of)
    }

    /// A page, behind redirects within its site.
    pub(super) fn visit<'a>(
        &self,
        responses: &'a Responses,
        url: &Url,
        lines: &mut Vec<CheckLine>,
    ) -> Result<Visited<'a>, Obstacle> {
        let mut url = url.clone();
        for _ in 0..=MOST_REDIRECTS {
            let site = self.site(&url);
            let place = SurveyedSite::of_site(responses, &site, "--site");
            let answer = place.page(&url[Position::BeforePath..Position::AfterQuery]);
            let answer = answer.map_err(|obstacle| obstacle.at(&url))?;
            let location = answer.redirect().and_then(|location| self.join(&url, location));
            let Some(location) = location else {
                return Ok(Visited {
                    url,
                    response: answer,
                });
            };
            let target = self.at_server(&url, &location);
            if target == url {
                return Err(looped(&url, &self.loop_advice(&url, &location)));
            }
            if !is_same_site(&url, &target) {
                return Err(elsewhere(&url, &target));
            }
            lines.push(LineKind::Note.line(format!("{url} redirects to {location}")));
            url = target;
        }
        Err(looped(&url, IN_A_BROWSER))
    }

    /// A location as the site means it: relative to the address that the request named.
    fn join(&self, url: &Url, location: &str) -> Option<Url> {
        let Some(named) = &self.named else {
            return url.join(location).ok();
        };
        let mut asked = named.clone();
        asked.set_path(url.path());
        asked.join(location).ok()
    }

    /// A public address at the server that gets the requests; other addresses stay.
    fn at_server(&self, url: &Url, location: &Url) -> Url {
        let named = self.host();
        if named.is_none() || named != OriginHost::of(location) {
            return location.clone();
        }
        let mut target = url.clone();
        target.set_path(location.path());
        target.set_query(location.query());
        target
    }

    /// Advice about a page that redirects to itself.
    fn loop_advice(&self, url: &Url, location: &Url) -> String {
        let host = self.host();
        let named = host.and_then(|host| Url::parse(&format!("{}://{host}/", url.scheme())).ok());
        named.map_or_else(|| IN_A_BROWSER.to_owned(), |named| loop_advice(&named, location))
    }
}

fn looped(url: &Url, advice: &str) -> Obstacle {
    Obstacle::other(format!("{url} redirects in a circle: {advice}"))
}

/// Another address responds. WordPress keeps the host of a request, and drops a port that the site's own address does
/// not have.
fn elsewhere(from: &Url, to: &Url) -> Obstacle {
    let advice = if from.host() == to.host() {
        "because the site's own address is another than that of its server: give the one that clients use with \
         --public-url, like https://events.example.org"
            .to_owned()
    } else {
        let name = to.host_str().unwrap_or_default();
        format!(
            "which is another site: if it is the right one, run this with --site {}; if {name} is only the name by which \
             clients use the site at {from}, add --public-url {}",
            front(to),
            to.origin().ascii_serialization()
        )
    };
    Obstacle::new(
        ObstacleKind::Elsewhere,
        format!("{from} redirects to {to}, {advice}"),
    )
}

/// Scheme, host and path, without a query.
pub(super) fn front(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    url.to_string()
}

/// Advice about a circle that shows only at the site.
const IN_A_BROWSER: &str = "open it in a browser, and give --site the address that it ends at";

/// True if a redirect stays within a site: the same host, with `www.` or without, at the same port or at the port of
/// its scheme. It may lead to https, and not back from it.
pub(super) fn is_same_site(from: &Url, to: &Url) -> bool {
    let name = |url: &Url| {
        let host = url.host_str().unwrap_or_default();
        host.strip_prefix("www.").unwrap_or(host).to_owned()
    };
    let is_known = matches!(to.scheme(), "http" | "https");
    let is_downgraded = from.scheme() == "https" && to.scheme() == "http";
    let is_same_port = from.port() == to.port();
    is_known && !is_downgraded && is_same_port && name(from) == name(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_one_host_with_or_without_www() {
        for (from, to, expected) in [
            ("http://example.org/", "https://example.org/", true),
            ("https://example.org/", "https://www.example.org/de/", true),
            ("https://www.example.org/", "https://example.org/", true),
            ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/en/", true),
            ("https://example.org/", "http://example.org/", false),
            ("https://example.org/", "https://example.com/", false),
            ("https://example.org/", "https://shop.example.org/", false),
            ("http://127.0.0.1:8080/", "http://127.0.0.1:8081/", false),
            ("https://example.org/", "ftp://example.org/", false),
        ] {
            let urls = (Url::parse(from).unwrap(), Url::parse(to).unwrap());
            assert_eq!(is_same_site(&urls.0, &urls.1), expected, "{from} {to}");
        }
    }
}
