//! Requests that may be answered in place of a calendar page: their heads.

use http::request::Parts;
use http::{HeaderMap, Method, Uri};

use calendar_edge_judge::call::credentials::Credentials;
use calendar_edge_judge::policy::Profile;
use calendar_edge_judge::wordpress::payload::spellings;

/// A reader of pages, as far as the head of the request tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visitor {
    /// Somebody whose login or password of a post may show other events: the site answers.
    Known,
    /// Somebody who carries a cookie of the site: probably a person.
    WithCookie,
    /// Everybody else, and all robots.
    Anybody,
}

/// The REST route by which scripts of calendar pages load other pages.
const VIEWS_ROUTE: &str = "tribe/views/v2/html";

/// Whether a script of a calendar page loads another one from there.
pub fn loads_views(target: &Uri) -> bool {
    target.path().ends_with(VIEWS_ROUTE)
}

/// Whether a target may name a calendar file: all spellings have this word, in the path or in the query.
pub fn may_be_file(target: &Uri) -> bool {
    target
        .path_and_query()
        .is_some_and(|target| target.as_str().contains("ical"))
}

// === impl Visitor ===

impl Visitor {
    /// The reader of a request for a page; none if the request is not a plain read.
    pub fn of(head: &Parts) -> Option<Self> {
        let is_read = matches!(head.method, Method::GET | Method::HEAD);
        is_read.then(|| Self::of_headers(&head.headers))
    }

    /// Whether a request may change what pages show: it shows credentials, and is no read, or one that WordPress takes
    /// for a write, as links of its administration are.
    pub fn is_editor(head: &Parts) -> bool {
        let may_write = || {
            !head.method.is_safe()
                || head.uri.path().contains("wp-admin")
                || head
                    .uri
                    .query()
                    .is_some_and(|query| !spellings(query.as_bytes(), b"_method").is_empty())
                || head.headers.contains_key("x-http-method-override")
        };
        Self::of_headers(&head.headers) == Self::Known && may_write()
    }

    fn of_headers(headers: &HeaderMap) -> Self {
        if Credentials::are_absent(headers) {
            return Self::Anybody;
        }
        let read = Credentials::read(headers, Profile::Compatible);
        let is_known = read.map_or(true, |read| {
            let mut shown = HeaderMap::new();
            read.write_to(&mut shown);
            !shown.is_empty()
        });
        if is_known { Self::Known } else { Self::WithCookie }
    }
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    #[test]
    fn scripts_and_files_are_told_by_their_targets() {
        let of = |target: &str| {
            let target: Uri = target.parse().unwrap();
            (loads_views(&target), may_be_file(&target))
        };
        assert_eq!(of("/wp-json/tribe/views/v2/html?url=x"), (true, false));
        for file in ["/events/ical/", "/events/?ical=1", "/events/?outlook-ical="] {
            assert_eq!(of(file), (false, true), "{file}");
        }
        assert_eq!(of("/events/month/2127-04/"), (false, false));
    }

    #[test]
    fn editors_are_those_with_credentials_who_may_write() {
        let is_editor = |method: &str, target: &str, cookie: &str| {
            let request = Request::builder().method(method).uri(target);
            let request = request.header("cookie", cookie).body(()).unwrap();
            Visitor::is_editor(&request.into_parts().0)
        };
        let login = "wordpress_logged_in_ab=u%7C1";
        for (method, target) in [
            ("POST", "/wp-json/wp/v2/tribe_events/7"),
            ("GET", "/wp-admin/post.php?post=7&action=untrash"),
            ("GET", "/wp-json/tribe/events/v1/events/7?_method=DELETE"),
            ("GET", "/wp-json/tribe/events/v1/events/7?a=b&%5Fmethod=DELETE"),
        ] {
            assert!(is_editor(method, target, login), "{target}");
            assert!(!is_editor(method, target, "_ga=1"), "{target}");
        }
        assert!(!is_editor("GET", "/events/", login));
    }

    #[test]
    fn readers_are_told_apart_by_their_heads() {
        let visitor = |method: &str, cookie: &str| {
            let request = Request::builder().method(method).uri("/events/2127-01-01/");
            let request = if cookie.is_empty() {
                request
            } else {
                request.header("cookie", cookie)
            };
            Visitor::of(&request.body(()).unwrap().into_parts().0)
        };
        assert_eq!(visitor("GET", ""), Some(Visitor::Anybody));
        assert_eq!(visitor("HEAD", "_ga=1"), Some(Visitor::WithCookie));
        for cookie in [
            "wordpress_logged_in_ab=u%7C1",
            "a=b; wp-postpass_ab=x",
            "wordpress_sec_a=u",
        ] {
            assert_eq!(visitor("GET", cookie), Some(Visitor::Known), "{cookie}");
        }
        assert_eq!(visitor("POST", ""), None);
        let basic = Request::get("/events/")
            .header("authorization", "Basic YTpi")
            .body(())
            .unwrap();
        assert_eq!(Visitor::of(&basic.into_parts().0), Some(Visitor::Known));
    }
}
