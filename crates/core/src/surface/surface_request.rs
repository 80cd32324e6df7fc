//! The facts about a request to the rest of the site that its rules depend on.

use std::iter;

use http::Method;
use http::request::Parts;
use memchr::memmem;

use crate::relay::cors::Preflight;
use calendar_edge_judge::call::credentials::Credentials;
use calendar_edge_judge::routing::{Roots, SiteTarget};
use calendar_edge_judge::wordpress::payload::{
    ContentHeaders, Plus, SentMethod, SiteForm, decode, parse_form,
};
use calendar_edge_judge::wordpress::value::PhpArray;

/// A request to the rest of the site.
#[derive(Debug, Clone)]
pub struct SurfaceRequest<'a> {
    /// The target that it leads to.
    pub target: SiteTarget,
    /// Its method, or for a route the one that WordPress takes instead.
    pub method: Method,
    /// The same request as `index.php` takes it, if its path only looks like a script (T-99).
    front: Option<Box<Self>>,
    head: &'a Parts,
}

// === impl SurfaceRequest ===

impl<'a> SurfaceRequest<'a> {
    /// The request with this head.
    pub fn of(roots: &Roots, head: &'a Parts) -> Self {
        let (path, query) = (head.uri.path(), head.uri.query().unwrap_or_default());
        Self::read(
            head,
            roots.site_target(path, query),
            roots.front_target(path, query),
        )
    }

    fn read(head: &'a Parts, target: SiteTarget, front: Option<SiteTarget>) -> Self {
        Self {
            method: method(&target, head),
            target,
            front: front.map(|front| Box::new(Self::read(head, front, None))),
            head,
        }
    }

    /// Each way in which a server may read it: all of them must pass.
    pub(super) fn readings(&self) -> impl Iterator<Item = &Self> {
        iter::once(self).chain(self.front.as_deref())
    }

    /// The same request if its form sets this `rest_route`.
    #[must_use]
    pub fn with_route(&self, roots: &Roots, route: &[u8]) -> Self {
        let path = self.head.uri.path();
        Self::read(
            self.head,
            roots.named_target(path, route),
            roots.named_front(path, route),
        )
    }

    /// Returns true if it shows credentials, valid or not, or if a browser checks with a preflight whether a page may
    /// send them: that is a request at a route whose method WordPress takes for OPTIONS (T-101).
    pub fn has_credentials(&self) -> bool {
        let is_route = matches!(self.target, SiteTarget::Route(_));
        let is_preflight = || is_route && Preflight::of(&self.method, &self.head.headers).is_some();
        Credentials::are_shown(&self.head.headers) || is_preflight()
    }

    /// The form that PHP reads from its body.
    pub(super) fn form(&self) -> SiteForm<'a> {
        SiteForm::of(&self.head.method, ContentHeaders::of(&self.head.headers))
    }

    /// The last segment of its path, decoded and in lower case.
    pub(super) fn page_name(&self) -> String {
        let path = self.head.uri.path().trim_end_matches('/');
        let name = path.rsplit('/').next().unwrap_or_default();
        String::from_utf8_lossy(&decode(name.as_bytes(), Plus::Literal)).to_ascii_lowercase()
    }

    /// The variables of its query; none if no variable can have one of these names.
    pub(super) fn variables<'n>(&self, mut names: impl Iterator<Item = &'n str>) -> Option<PhpArray> {
        let query = self.head.uri.query().unwrap_or_default().as_bytes();
        let may = query.contains(&b'%') || names.any(|name| memmem::find(query, name.as_bytes()).is_some());
        may.then(|| parse_form(query))
    }
}

/// The method that counts: WordPress takes another one for its routes if the client names it.
fn method(target: &SiteTarget, head: &Parts) -> Method {
    if !matches!(target, SiteTarget::Route(_)) {
        return head.method.clone();
    }
    let query = head.uri.query().unwrap_or_default().as_bytes();
    let may = query.contains(&b'%') || memmem::find(query, b"method").is_some();
    let query = parse_form(if may { query } else { b"" });
    // WordPress runs nothing for a name that is no method.
    SentMethod::of(head)
        .taken(&query)
        .unwrap_or_else(|_| head.method.clone())
}

/// Returns true if a route begins with the segments of a namespace.
pub(super) fn is_below(route: &str, namespace: &str) -> bool {
    let below = route.strip_prefix(namespace);
    below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
}
