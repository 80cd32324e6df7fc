//! Redirects of the origin, and the address that the edge should dial instead.

use http::{HeaderMap, StatusCode, header};
use url::Url;

use crate::relay::failure::{OriginFailure, shortened};

/// The failure for a redirect, with the address that would have been right.
pub(super) fn redirect(status: StatusCode, headers: &HeaderMap, dialled: Option<&Url>) -> OriginFailure {
    let target = headers
        .get(header::LOCATION)
        .and_then(|value| value.to_str().ok());
    let location = target.map(|target| shortened(target.split(['?', '#']).next().unwrap_or(target)));
    OriginFailure::Redirect {
        status,
        location,
        better_url: target.and_then(|target| better_root(dialled?, target)),
    }
}

/// The dialled root with the scheme and authority of a redirect's target; `None` if they do not differ.
fn better_root(dialled: &Url, target: &str) -> Option<String> {
    let mut better = dialled.clone();
    let target = Url::parse(target).ok()?;
    let is_web = matches!(target.scheme(), "http" | "https");
    if !is_web || target.origin() == better.origin() {
        return None;
    }
    better.set_port(None).ok()?;
    better.set_scheme(target.scheme()).ok()?;
    better.set_host(target.host_str()).ok()?;
    better.set_port(target.port()).ok()?;
    Some(shortened(better.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redirected(dialled: &str, location: &str) -> OriginFailure {
        let mut headers = HeaderMap::new();
        headers.insert(header::LOCATION, location.parse().unwrap());
        redirect(StatusCode::FOUND, &headers, Some(&Url::parse(dialled).unwrap()))
    }

    #[test]
    fn a_redirect_reveals_the_address_to_set() {
        for (location, advice) in [
            (
                "https://wp.example.org/wp-json/tribe",
                "set origin.url to https://wp.example.org/wp-json",
            ),
            (
                "http://www.example.org:81/",
                "set origin.url to http://www.example.org:81/wp-json",
            ),
        ] {
            let failure = redirected("http://wp.example.org/wp-json", location);
            assert_eq!(failure.advice().as_deref(), Some(advice));
        }
        for location in ["http://wp.example.org/login?secret=1", "/login", "ftp://h/"] {
            let failure = redirected("http://wp.example.org/wp-json", location);
            assert!(
                failure
                    .advice()
                    .is_some_and(|advice| advice.contains("check origin.url")),
                "{location}"
            );
            assert!(!failure.to_string().contains("secret"));
        }
    }
}
