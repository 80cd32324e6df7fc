//! Requests that may get a response in place of a calendar page: their heads.

use http::request::Parts;
use http::{HeaderMap, Method};

use calendar_edge_judge::call::credentials::Credentials;
use calendar_edge_judge::policy::Profile;
use calendar_edge_judge::wordpress::payload::spellings;

/// True if a request reads a page as every visitor sees it: a plain read, without a login or the password of a post.
pub fn is_public_read(head: &Parts) -> bool {
    matches!(head.method, Method::GET | Method::HEAD) && !is_known(&head.headers)
}

/// True if a request shows a cookie or credentials. They prove nothing: a robot can make them up.
pub fn shows_claims(head: &Parts) -> bool {
    !Credentials::are_absent(&head.headers)
}

/// True if a request may change the content of pages: it shows credentials, and is no read, or one that WordPress takes
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
    is_known(&head.headers) && may_write()
}

/// True if there is a login or the password of a post, by which pages may show other events.
fn is_known(headers: &HeaderMap) -> bool {
    if Credentials::are_absent(headers) {
        return false;
    }
    let read = Credentials::read(headers, Profile::Compatible);
    read.map_or(true, |read| {
        let mut shown = HeaderMap::new();
        read.write_to(&mut shown);
        !shown.is_empty()
    })
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    #[test]
    fn editors_are_those_with_credentials_who_may_write() {
        let writes = |method: &str, target: &str, cookie: &str| {
            let request = Request::builder().method(method).uri(target);
            let request = request.header("cookie", cookie).body(()).unwrap();
            is_editor(&request.into_parts().0)
        };
        let login = "wordpress_logged_in_ab=u%7C1";
        for (method, target) in [
            ("POST", "/wp-json/wp/v2/tribe_events/7"),
            ("GET", "/wp-admin/post.php?post=7&action=untrash"),
            ("GET", "/wp-json/tribe/events/v1/events/7?_method=DELETE"),
            ("GET", "/wp-json/tribe/events/v1/events/7?a=b&%5Fmethod=DELETE"),
        ] {
            assert!(writes(method, target, login), "{target}");
            assert!(!writes(method, target, "_ga=1"), "{target}");
        }
        assert!(!writes("GET", "/events/", login));
    }

    #[test]
    fn readers_are_told_apart_by_their_heads() {
        let read = |method: &str, field: (&str, &str)| {
            let request = Request::builder().method(method).uri("/events/2127-01-01/");
            let (head, ()) = request.header(field.0, field.1).body(()).unwrap().into_parts();
            (is_public_read(&head), shows_claims(&head))
        };
        assert_eq!(read("GET", ("accept", "*/*")), (true, false));
        assert_eq!(read("HEAD", ("cookie", "_ga=1")), (true, true));
        for cookie in [
            "wordpress_logged_in_ab=u%7C1",
            "a=b; wp-postpass_ab=x",
            "wordpress_sec_a=u",
        ] {
            assert_eq!(read("GET", ("cookie", cookie)), (false, true), "{cookie}");
        }
        assert_eq!(read("POST", ("accept", "*/*")), (false, false));
        assert_eq!(read("GET", ("authorization", "Basic YTpi")), (false, true));
    }
}
