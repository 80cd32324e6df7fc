//! One page of a site, asked for within bounds; redirects within the site are followed and shown.

use std::time::Duration;

use calendar_edge_core::settings::{BackendSettings, Settings};
use url::Url;

use super::obstacle::Obstacle;
use super::probe::Probe;
use super::probe_response::ProbeResponse;
use super::survey_report::Report;

/// A page, and the address at which it was answered.
pub(super) struct Visited {
    pub(super) url: Url,
    pub(super) answer: ProbeResponse,
}

/// Maximum number of redirects from one address.
const MOST_REDIRECTS: usize = 5;

/// Maximum size of one answer, in bytes.
const MOST_BYTES: u64 = 8 << 20;

/// Maximum time to connect. Settings of the file do not exist yet.
const CONNECT: Duration = Duration::from_secs(5);

/// The site of this URL, with the bounds of discovery.
pub(super) fn asking(url: &Url) -> BackendSettings {
    let mut site = Settings::for_origin(url.clone()).site();
    site.response_bytes = MOST_BYTES;
    site.timeouts.connect = CONNECT;
    site
}

/// Asks for a page and follows redirects within its site.
pub(super) async fn visit(url: &Url, report: &mut Report<'_>) -> Result<Visited, Obstacle> {
    let mut url = url.clone();
    for _ in 0..=MOST_REDIRECTS {
        let answer = ask(&url).await?;
        let location = answer.location().filter(|_| answer.status.is_redirection());
        let Some(target) = location.and_then(|location| url.join(location).ok()) else {
            return Ok(Visited { url, answer });
        };
        if target == url {
            return Err(Obstacle::Loop { url: url.into() });
        }
        if !is_same_site(&url, &target) {
            let (from, to) = (url.into(), target.into());
            return Err(Obstacle::Elsewhere { from, to });
        }
        report.note(&format!("{url} redirects to {target}"))?;
        url = target;
    }
    Err(Obstacle::Loop { url: url.into() })
}

/// Asks once, without following.
async fn ask(url: &Url) -> Result<ProbeResponse, Obstacle> {
    let site = asking(url);
    let probe = Probe::of_root(&site, &site.origin.url, "--site").map_err(Obstacle::Client)?;
    let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
    let answer = probe.page(path).await;
    answer.map_err(|trouble| Obstacle::Unreachable {
        url: url.clone().into(),
        trouble,
    })
}

/// Whether a redirect stays within a site: the same host, with `www.` or without, at the same port or at the port of
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
