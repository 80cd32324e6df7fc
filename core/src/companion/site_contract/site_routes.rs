//! The routes of a site, in the order in which WordPress tries them.

use calendar_edge_judge::wordpress::schema::{RouteRegex, SiteArgument};
use calendar_edge_judge::wordpress::value::PhpArray;

/// A REST route of the site.
#[derive(Debug, Clone)]
pub struct SiteRoute {
    /// The regular expression under which the site registered it, such as `/wp/v2/posts/(?P<id>[\d]+)`.
    pub route: Box<str>,
    /// Its namespace, such as `wp/v2`.
    pub namespace: Box<str>,
    /// Its endpoints.
    pub endpoints: Vec<SiteEndpoint>,
    /// None: only PCRE can tell what it matches.
    pub(super) pattern: Option<RouteRegex>,
}

/// What answers some methods of a route.
#[derive(Debug, Clone, PartialEq)]
pub struct SiteEndpoint {
    /// The methods, in upper case.
    pub methods: Vec<Box<str>>,
    /// True if the endpoint checks no permission before it answers: anybody may call it.
    pub open: bool,
    /// True if a function of the site checks all arguments together.
    pub checks_whole: bool,
    /// The arguments, in the order in which WordPress checks them.
    pub arguments: Vec<SiteArgument>,
}

/// The endpoint that answers a request.
#[derive(Debug)]
pub(super) struct AnsweringEndpoint<'c> {
    pub(super) route: &'c SiteRoute,
    pub(super) endpoint: &'c SiteEndpoint,
    /// The parameters in the path.
    pub(super) path: PhpArray,
}

// === impl SiteEndpoint ===

impl SiteEndpoint {
    /// Whether it answers a method.
    pub fn answers(&self, method: &str) -> bool {
        self.methods.iter().any(|known| **known == *method)
    }
}

// === impl SiteRoute ===

impl SiteRoute {
    /// The endpoint of a method; HEAD is answered by that of GET if it has none of its own.
    pub fn endpoint(&self, method: &str) -> Option<&SiteEndpoint> {
        let of = |method: &str| self.endpoints.iter().find(|endpoint| endpoint.answers(method));
        of(method).or_else(|| if method == "HEAD" { of("GET") } else { None })
    }
}

/// Only the site can tell which endpoint answers: this route may be the one.
#[derive(Debug)]
pub(super) struct Unsure<'c> {
    pub(super) route: &'c SiteRoute,
}

/// The endpoint that answers a method of a route such as `/wp/v2/posts/7`; none: the contract has none.
pub(super) fn answering<'c>(
    routes: &'c [SiteRoute],
    route: &str,
    method: &str,
) -> Result<Option<AnsweringEndpoint<'c>>, Unsure<'c>> {
    let below = route.trim_start_matches('/');
    let in_namespace = |known: &&SiteRoute| {
        let rest = below.strip_prefix(&*known.namespace);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    for known in routes.iter().filter(in_namespace) {
        let Some(endpoint) = known.endpoint(method) else {
            continue;
        };
        if known.pattern.is_none() && !begins_like(route, &known.route) {
            continue;
        }
        let pattern = known.pattern.as_ref().filter(|_| route.is_ascii());
        let pattern = pattern.ok_or(Unsure { route: known })?;
        if let Some(path) = pattern.parameters(route) {
            return Ok(Some(AnsweringEndpoint {
                route: known,
                endpoint,
                path,
            }));
        }
    }
    Ok(None)
}

/// Whether a route begins with the letters with which an expression begins, in any case; every text that the expression
/// matches does.
fn begins_like(route: &str, pattern: &str) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_');
    let plain = pattern.bytes().take_while(is_plain).count();
    // What follows may repeat the last letter, or leave it out; and an alternative may begin in another way.
    let length = if pattern.contains('|') {
        0
    } else {
        plain.saturating_sub(1)
    };
    let beginning = pattern.bytes().take(length);
    let letters = route.bytes().take(length);
    route.len() >= length
        && letters
            .zip(beginning)
            .all(|(letter, like)| letter.eq_ignore_ascii_case(&like))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_that_cannot_be_read_leaves_others_alone() {
        for (route, pattern, may_match) in [
            ("/wp/v2/users", "/wp/v2/themes/(?=x).*", false),
            ("/wp/v2/themes/x", "/wp/v2/themes/(?=x).*", true),
            ("/WP/v2/Themes", "/wp/v2/themes?++", true),
            ("/wp/v2/x", "/wp/v2/y++|/wp/v2/x", true),
            ("/wp", "/wp/v2/(?=x)", false),
        ] {
            assert_eq!(begins_like(route, pattern), may_match, "{route} {pattern}");
        }
    }
}
