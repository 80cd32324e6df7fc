//! The home page, asked for as clients would get it: whether the site sends them elsewhere.

use calendar_edge::settings::Settings;
use url::Url;

use super::probe::Probe;
use super::trouble::Trouble;

/// What the home page shows about the address of the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Home {
    /// It is answered, or redirects within the site.
    Fits { status: u16 },
    /// It redirects to the address that was asked for.
    Loop { location: Url, advice: String },
    /// It redirects to another host.
    Elsewhere { location: Url, asked: Url },
}

/// Asks for the home page.
///
/// # Errors
///
/// When there is no complete answer.
pub(super) async fn home(probe: &Probe<'_>, settings: &Settings) -> Result<Home, Trouble> {
    let path = home_path(&settings.origin.url);
    let asked = public_address(probe, settings, &path);
    let answer = probe.page(&path).await?;
    let status = answer.status.as_u16();
    let location = answer.location().filter(|_| answer.status.is_redirection());
    Ok(match location.and_then(|location| asked.join(location).ok()) {
        Some(location) if location == asked => Home::Loop {
            advice: loop_advice(probe, &location),
            location,
        },
        Some(location) if !is_same_host(&location, &asked) => Home::Elsewhere { location, asked },
        Some(_) | None => Home::Fits { status },
    })
}

/// The path of the home page: REST roots are one segment below it.
fn home_path(root: &Url) -> String {
    let path = root.path().trim_end_matches('/');
    let above = path.rsplit_once('/').map_or("", |(above, _)| above);
    format!("{above}/")
}

/// The address at which clients ask for a path.
fn public_address(probe: &Probe<'_>, settings: &Settings, path: &str) -> Url {
    let mut url = settings
        .public_url
        .clone()
        .unwrap_or_else(|| named_address(probe));
    url.set_path(path);
    url
}

/// Scheme and host as requests to the site name them.
fn named_address(probe: &Probe<'_>) -> Url {
    let base = probe.route().base();
    let host = probe.route().host().and_then(|host| host.to_str().ok());
    let named = host.and_then(|host| Url::parse(&format!("{}://{host}/", base.scheme())).ok());
    named.unwrap_or_else(|| base.clone())
}

/// A site redirects a page to itself while it takes another host or scheme for the one that was asked for.
fn loop_advice(probe: &Probe<'_>, location: &Url) -> String {
    let named = named_address(probe);
    if !is_same_host(&named, location) {
        let host = location.host_str().unwrap_or_default();
        return format!("requests name {named}: set `origin.host` to \"{host}\"");
    }
    if location.scheme() != named.scheme() {
        return "let WordPress take the scheme from X-Forwarded-Proto (`$_SERVER['HTTPS']` in wp-config.php)"
            .to_owned();
    }
    "look for a plugin or a rule of the web server that redirects".to_owned()
}

fn is_same_host(one: &Url, other: &Url) -> bool {
    let explicit = |url: &Url| (url.host_str().map(str::to_owned), url.port());
    explicit(one) == explicit(other)
}
