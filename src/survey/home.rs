//! The home page, asked for as clients would get it: whether the site sends them elsewhere.

use calendar_edge_core::settings::{BackendSettings, OriginHost};
use url::Url;

use super::probe::Probe;
use super::probe_response::ProbeResponse;

/// What the home page shows about the address of the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Home {
    /// It is answered, or redirects within the site.
    Fits { status: u16 },
    /// It redirects to the address that was asked for.
    Loop { location: Url, advice: String },
    /// It redirects to another host.
    Elsewhere {
        location: Url,
        asked: Url,
        advice: String,
    },
}

/// What to do where the host is right and the site still sends clients elsewhere.
pub(crate) const SAME_HOME: &str = "the site's home (Settings > General) and `public_url` must be the same";

/// Judges the response to a request for the home page.
pub(crate) fn home(probe: &Probe<'_>, answer: &ProbeResponse, site: &BackendSettings) -> Home {
    let asked = public_address(probe, site, &home_path(&site.origin.url));
    let status = answer.status.as_u16();
    let location = answer.location().filter(|_| answer.status.is_redirection());
    let Some(location) = location.and_then(|location| asked.join(location).ok()) else {
        return Home::Fits { status };
    };
    if location == asked {
        let advice = loop_advice(probe, &location);
        Home::Loop { location, advice }
    } else if is_same_host(&location, &asked) {
        Home::Fits { status }
    } else {
        let advice = wrong_host(probe, &asked).unwrap_or_else(|| SAME_HOME.to_owned());
        Home::Elsewhere {
            location,
            asked,
            advice,
        }
    }
}

/// The path of the home page: REST roots are one segment below it.
pub(crate) fn home_path(root: &Url) -> String {
    let path = root.path().trim_end_matches('/');
    let above = path.rsplit_once('/').map_or("", |(above, _)| above);
    format!("{above}/")
}

/// The address at which clients ask for a path.
fn public_address(probe: &Probe<'_>, site: &BackendSettings, path: &str) -> Url {
    let mut url = site.public_url.clone().unwrap_or_else(|| probe.address().clone());
    url.set_path(path);
    url
}

/// A site redirects a page to itself while it takes another host or scheme for the one that was asked for.
pub(super) fn loop_advice(probe: &Probe<'_>, location: &Url) -> String {
    if let Some(advice) = wrong_host(probe, location) {
        return advice;
    }
    if location.scheme() != probe.address().scheme() {
        return "let WordPress take the scheme from X-Forwarded-Proto (`$_SERVER['HTTPS']` in wp-config.php)"
            .to_owned();
    }
    "look for a plugin or a rule of the web server that redirects".to_owned()
}

/// What to set where requests name another host than this address.
fn wrong_host(probe: &Probe<'_>, wanted: &Url) -> Option<String> {
    let named = probe.address();
    let host = OriginHost::of(wanted)?;
    (OriginHost::of(named)? != host)
        .then(|| format!("requests name another host, {named}: set `origin.host` to \"{host}\""))
}

fn is_same_host(one: &Url, other: &Url) -> bool {
    OriginHost::of(one) == OriginHost::of(other)
}
