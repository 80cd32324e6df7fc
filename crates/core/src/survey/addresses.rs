//! The addresses of a site: its home page above its REST root, and what to set where it takes another one for its own.

use crate::settings::OriginHost;
use url::Url;

/// Advice where the host is right and the site still sends clients elsewhere.
pub(super) const SAME_HOME: &str = "the site's home (Settings > General) and `public_url` must be the same";

/// The path of the home page: REST roots are one segment below it.
pub(super) fn home_path(root: &Url) -> String {
    let path = root.path().trim_end_matches('/');
    let above = path.rsplit_once('/').map_or("", |(above, _)| above);
    format!("{above}/")
}

/// An address whose path ends without a slash.
pub(super) fn without_slash(url: &Url) -> Url {
    let mut url = url.clone();
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&path);
    url
}

/// A site redirects a page to itself while it takes another host or scheme for the requested one; requests name scheme
/// and host like `named`.
pub(super) fn loop_advice(named: &Url, location: &Url) -> String {
    if let Some(advice) = wrong_host(named, location) {
        return advice;
    }
    if location.scheme() != named.scheme() {
        return "let WordPress take the scheme from X-Forwarded-Proto (`$_SERVER['HTTPS']` in wp-config.php)"
            .to_owned();
    }
    "look for a plugin or a rule of the web server that redirects".to_owned()
}

/// The setting where requests name another host than this address.
pub(super) fn wrong_host(named: &Url, wanted: &Url) -> Option<String> {
    let host = OriginHost::of(wanted)?;
    (OriginHost::of(named)? != host)
        .then(|| format!("requests name another host, {named}: set `origin.host` to \"{host}\""))
}
