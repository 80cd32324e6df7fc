//! Why no configuration can be written for a site, with the nearest cause and the next step.

use std::error::Error;
use std::io;
use std::time::Duration;

use calendar_edge::app::ClientError;
use url::Url;

use super::hindrance::Hindrance;
use super::home::home_path;
use super::trouble::Trouble;

/// The reason, as a sentence that ends in what to do.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Obstacle {
    /// No response.
    #[error("{url}: {trouble}{}", step(trouble, url))]
    Unreachable { url: Box<Url>, trouble: Trouble },
    /// Another address answers for this one.
    #[error("{from} redirects to {to}, {}", elsewhere(from, to))]
    Elsewhere { from: Box<Url>, to: Box<Url> },
    /// The REST root is at another site, and this one has none.
    #[error(
        "{url} names a REST root at another site, {root}, and has none itself: run this with --site {}",
        front(&above(root))
    )]
    RootElsewhere { url: Box<Url>, root: Box<Url> },
    /// Redirects without end.
    #[error("{url} redirects in a circle: {advice}")]
    Loop { url: Box<Url>, advice: String },
    /// Something before WordPress answers.
    #[error("{url}: {hindrance}")]
    Hindered { url: Box<Url>, hindrance: Hindrance },
    /// Nothing of WordPress is there.
    #[error(
        "{url} is not a WordPress site, as far as it shows: no `Link` to a REST root on its front page, and {}. Give \
         --site the address of the front page, with the folder if WordPress is in one",
        tried.join("; ")
    )]
    NotWordPress { url: Box<Url>, tried: Vec<String> },
    /// WordPress without a REST API.
    #[error(
        "{url} is a WordPress site, but its REST API does not answer: {}. Look for a plugin or a rule of the web server \
         that switches it off, and save Settings > Permalinks once",
        tried.join("; ")
    )]
    NoRestApi { url: Box<Url>, tried: Vec<String> },
    /// The REST API is for accounts only.
    #[error(
        "the REST API at {root} refuses visitors ({reason}): look for a plugin or a rule of the web server that \
         closes it, and open reads of the calendar"
    )]
    Closed { root: Box<Url>, reason: String },
    /// The REST API has no path.
    #[error(
        "the REST API of {url} is only at `?rest_route=/`, which cannot be a REST root of the edge, because it is no \
         path: choose another structure than Plain in Settings > Permalinks, and run this again"
    )]
    PlainPermalinks { url: Box<Url> },
    /// The plugin does not publish its API.
    #[error(
        "{root} is a WordPress REST root without a calendar: it lists {}. Activate The Events Calendar (Plugins), and \
         run this again; if the plugin's namespace has another name, give it with --origin-namespace",
        listed(namespaces)
    )]
    NoPlugin { root: Box<Url>, namespaces: Vec<String> },
    /// Several namespaces could be the plugin's.
    #[error(
        "{root} lists several namespaces that look like the plugin's, {}: name one with --origin-namespace",
        names.join(", ")
    )]
    SeveralNamespaces { root: Box<Url>, names: Vec<String> },
    /// The namespace is listed, and its index is not to be had.
    #[error("{root}: the index of the calendar's namespace cannot be read: {trouble}")]
    NoIndex { root: Box<Url>, trouble: Trouble },
    /// All questions together take too long.
    #[error("the site has not answered all questions within {} s: run this again when it is faster", .0.as_secs())]
    TooSlow(Duration),
    /// What the site says and what was given do not make a configuration.
    #[error("the configuration would not be valid: {0}")]
    Invalid(String),
    /// No client can be made.
    #[error("no client for the site can be made: {}", with_causes(.0))]
    Client(ClientError),
    /// The report cannot be written.
    #[error("standard output")]
    Output(#[from] io::Error),
}

/// What to do where a site does not answer at all.
fn step(trouble: &Trouble, url: &Url) -> String {
    let is_https = url.scheme() == "https";
    match trouble {
        Trouble::Unreachable(_) | Trouble::Tls { .. } if is_https && !trouble.is_about_certificate() => {
            format!(
                ". If the site has no TLS at this address, give --site http://{}",
                rest(url)
            )
        }
        Trouble::Unreachable(_) => {
            ". Check host and port, and that this machine may connect there".to_owned()
        }
        _ => String::new(),
    }
}

// === impl Obstacle ===

impl Obstacle {
    /// True if the server may answer otherwise to requests that name the public host.
    pub(super) const fn may_end_under_the_name(&self) -> bool {
        match self {
            Self::Unreachable { trouble, .. } => trouble.is_about_certificate(),
            Self::Elsewhere { .. }
            | Self::RootElsewhere { .. }
            | Self::NotWordPress { .. }
            | Self::NoRestApi { .. }
            | Self::Hindered { .. } => true,
            _ => false,
        }
    }
}

/// What to do about a redirect to another address. WordPress keeps the host of a request, and drops a port that the site's
/// own address does not have.
fn elsewhere(from: &Url, to: &Url) -> String {
    if from.host() == to.host() {
        return "because the site knows itself by another address than that of its server: give the one that clients use \
                with --public-url, like https://events.example.org"
            .to_owned();
    }
    let name = to.host_str().unwrap_or_default();
    format!(
        "which is another site: if it is the right one, run this with --site {}; if {name} is only the name by which clients \
         know the site at {from}, add --public-url {}",
        front(to),
        to.origin().ascii_serialization()
    )
}

/// An error and its causes in one line.
fn with_causes(error: &ClientError) -> String {
    let first: &dyn Error = error;
    let all = std::iter::successors(Some(first), |&error| error.source());
    all.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

fn rest(url: &Url) -> &str {
    url[url::Position::BeforeHost..].trim_end_matches('/')
}

/// The site of a REST root, which is one segment below it.
fn above(root: &Url) -> Url {
    let mut url = root.clone();
    url.set_path(&home_path(root));
    url
}

/// Scheme, host and path, without a query.
fn front(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    url.to_string()
}

fn listed(namespaces: &[String]) -> String {
    const MOST: usize = 12;
    match namespaces {
        [] => "no namespace at all".to_owned(),
        few if few.len() <= MOST => few.join(", "),
        many => {
            let first: Vec<&str> = many.iter().take(MOST).map(String::as_str).collect();
            format!("{} and {} more", first.join(", "), many.len() - MOST)
        }
    }
}
