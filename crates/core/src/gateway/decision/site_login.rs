//! Requests to the rest of the site that try passwords: the charged identities, and the proof that none was wrong.

use http::header::{ACCESS_CONTROL_EXPOSE_HEADERS, AUTHORIZATION, CONTENT_ENCODING, SET_COOKIE};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use memchr::memmem;

use crate::limits::rates::Login;
use crate::relay::enveloped_status;
use calendar_edge_judge::call::credentials::Identity;
use calendar_edge_judge::wordpress::payload::{
    ContentHeaders, PHP_VARIABLE_LIMIT, Plus, SiteForm, decode, pair_count,
};
use calendar_edge_judge::wordpress::value::PhpArray;

/// The most bytes of a response's body that are read, where its status does not decide. A longer one proves nothing.
pub const LOGIN_RESPONSE_BYTES: usize = 64 * 1024;

/// The way by which a request to the rest of the site tries passwords.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginDoor {
    /// The `Authorization` field. The site responds with 401 to a wrong one, at any of its REST routes.
    Authorization,
    /// The same, where the status stands in the body (`_envelope`).
    Enveloped,
    /// The form of `wp-login.php`. A right password sets the cookie of a login.
    Form,
    /// A call, or a list of calls, to `xmlrpc.php`. A wrong password is a fault 403, with status 200. WordPress checks no
    /// password of a list behind a wrong one.
    XmlRpc,
}

// === impl LoginDoor ===

impl LoginDoor {
    /// The way of a request with this head; none if it tries no password.
    ///
    /// Login cookies do not count: they are no guesses, and each page of an editor sends many at once. Any segment of
    /// the path may name the script, because web servers pass on what follows it.
    pub fn of(head: &Parts) -> Option<Self> {
        if head.method == Method::POST {
            let path = decode(head.uri.path().as_bytes(), Plus::Literal).to_ascii_lowercase();
            let mut segments = path.split(|byte| *byte == b'/');
            let script =
                segments.find_map(|segment| match segment.strip_suffix(b".php").unwrap_or(segment) {
                    b"wp-login" => Some(Self::Form),
                    b"xmlrpc" => Some(Self::XmlRpc),
                    _ => None,
                });
            if script.is_some() {
                return script;
            }
        }
        let is_shown = head.headers.contains_key(AUTHORIZATION);
        is_shown.then(|| {
            if requests_envelope(head) {
                Self::Enveloped
            } else {
                Self::Authorization
            }
        })
    }

    /// Returns true if only the body of the response shows which passwords were wrong.
    pub const fn is_shown_by_body(self) -> bool {
        matches!(self, Self::Enveloped | Self::XmlRpc)
    }

    /// The identities that are charged, once for each password; a call to `xmlrpc.php` is one try of its address.
    /// `form` is the whole of a form; none of one that is too large to be read whole. A form whose account cannot be
    /// read counts with all unusual accounts (T-112).
    pub fn tried(self, head: &Parts, form: Option<&[u8]>) -> Vec<Identity> {
        let tried = match self {
            Self::Authorization | Self::Enveloped => None,
            Self::Form => form_login(head, form),
            Self::XmlRpc => Some(Identity::of_xml_rpc()),
        };
        let shown = Identity::of_authorization(&head.headers);
        tried.into_iter().chain(shown).collect()
    }

    /// The result of the passwords in a request with this head, as the site's response shows it. Its body is none if it
    /// is longer than [`LOGIN_RESPONSE_BYTES`], or was not read.
    ///
    /// Only a proof that none was wrong gives a charge back (T-98). A failure of the site proves nothing: the passwords
    /// may have been compared before it (T-111).
    pub fn shown_by(
        self,
        head: &Parts,
        (status, headers): (StatusCode, &HeaderMap),
        body: Option<&[u8]>,
    ) -> Login {
        let body = body.filter(|_| !headers.contains_key(CONTENT_ENCODING));
        let shown = match self {
            _ if status == StatusCode::UNAUTHORIZED || status.is_server_error() => Login::Unproven,
            Self::Form if !sets_login(headers) => Login::Unproven,
            Self::Form if head.headers.contains_key(AUTHORIZATION) => Login::NotRefused,
            Self::Form => Login::Written,
            Self::XmlRpc if body.is_some_and(has_no_wrong_password) => Login::NotRefused,
            Self::XmlRpc => Login::Unproven,
            Self::Authorization => Login::shown_by(Some(status), || None, false),
            Self::Enveloped => Login::shown_by(body.and_then(enveloped_status), || None, false),
        };
        match shown {
            Login::Read if !head.method.is_safe() || !is_of_rest_api(headers) => Login::NotRefused,
            shown => shown,
        }
    }
}

/// Returns true if the query may have the variable by which WordPress puts the status into the body.
fn requests_envelope(head: &Parts) -> bool {
    let query = head.uri.query().unwrap_or_default();
    !query.is_empty() && memmem::find(&decode(query.as_bytes(), Plus::Space), b"envelope").is_some()
}

/// The identity that is charged for a form; none if it shows no password.
fn form_login(head: &Parts, form: Option<&[u8]>) -> Option<Identity> {
    let kind = SiteForm::of(&head.method, ContentHeaders::of(&head.headers));
    // PHP reads no form.
    if kind == SiteForm::Absent {
        return None;
    }
    let is_read = |form: &&[u8]| kind != SiteForm::Urlencoded || pair_count(form) <= PHP_VARIABLE_LIMIT;
    let fields = form.filter(is_read).and_then(|form| kind.fields(form));
    let Some(fields) = fields else {
        return Some(Identity::of_login(None));
    };
    text(&fields, "pwd")?;
    Some(Identity::of_login(Some(text(&fields, "log")?)))
}

/// A field that WordPress takes for an account or a password.
fn text<'a>(fields: &'a PhpArray, name: &str) -> Option<&'a [u8]> {
    fields.get(name)?.as_text().filter(|text| !text.is_empty())
}

/// Returns true if a response logs a client in. The value of the cookie that ends a login has no bar.
fn sets_login(headers: &HeaderMap) -> bool {
    let set = headers.get_all(SET_COOKIE).iter().map(HeaderValue::as_bytes);
    set.filter(|cookie| cookie.starts_with(b"wordpress_logged_in_"))
        .any(|cookie| {
            let pair = cookie.split(|byte| *byte == b';').next().unwrap_or_default();
            decode(pair, Plus::Literal).contains(&b'|')
        })
}

/// Returns true for a response of WordPress's REST API, which checks `Authorization`; its pages ignore it.
fn is_of_rest_api(headers: &HeaderMap) -> bool {
    let mut exposed = headers.get_all(ACCESS_CONTROL_EXPOSE_HEADERS).iter();
    exposed.any(|names| memmem::find(names.as_bytes(), b"X-WP-Total").is_some())
}

/// Returns true for a whole response of XML-RPC, however it is printed, that shows no wrong password: it has no fault
/// 403, and is not the one fault by which WordPress ends a list of calls whose results it then keeps to itself.
fn has_no_wrong_password(body: &[u8]) -> bool {
    let blank = |byte: &u8| byte.is_ascii_whitespace();
    let dense: Vec<u8> = body.iter().copied().filter(|byte| !blank(byte)).collect();
    let has = |text: &[u8]| memmem::find(&dense, text).is_some();
    let is_whole = has(b"<methodResponse>") && dense.ends_with(b"</methodResponse>");
    is_whole && !has(b">403</") && !(has(b"<fault>") && ends_a_list(&dense))
}

/// Returns true if WordPress may write a fault in the place of a list's results: it has another code than those of calls
/// that were not carried out, and of records that an account may not see.
fn ends_a_list(dense: &[u8]) -> bool {
    let code = memmem::find(dense, b"<int>").and_then(|at| dense.get(at + b"<int>".len()..));
    let own = |code: &[u8]| code.starts_with(b"-32") || code.starts_with(b"4");
    !code.is_some_and(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");

    fn head(method: &str, target: &str, fields: &[(&str, &str)]) -> Parts {
        let request = http::Request::builder().method(method).uri(target);
        let request = fields
            .iter()
            .fold(request, |request, (name, value)| request.header(*name, *value));
        request.body(()).unwrap().into_parts().0
    }

    /// The result of the password of a request without `Authorization`, by the response to it.
    fn shown(door: LoginDoor, status: u16, headers: &HeaderMap, body: Option<&str>) -> Login {
        let answer = (StatusCode::from_u16(status).unwrap(), headers);
        door.shown_by(&head("POST", "/", &[]), answer, body.map(str::as_bytes))
    }

    /// True if a response proves that no password was wrong.
    fn proves_none(door: LoginDoor, status: u16, headers: &HeaderMap, body: Option<&str>) -> bool {
        !shown(door, status, headers, body).is_charged()
    }

    fn fault(code: u16) -> String {
        format!(
            "<struct><member>\n <name>faultCode</name>\n <value><int>{code}</int></value></member></struct>"
        )
    }

    #[test]
    fn each_spelling_of_a_door_is_seen() {
        let basic = ("authorization", "Basic YTpi");
        for (method, target, fields, expected) in [
            ("POST", "/wp-login.php", &[][..], Some(LoginDoor::Form)),
            (
                "POST",
                "//blog/wp-login.php?action=login",
                &[],
                Some(LoginDoor::Form),
            ),
            ("POST", "/WP-Login.php", &[], Some(LoginDoor::Form)),
            ("POST", "/%77p-login.php", &[], Some(LoginDoor::Form)),
            ("POST", "/wp-login.php/more", &[basic], Some(LoginDoor::Form)),
            ("POST", "/wp-login", &[], Some(LoginDoor::Form)),
            ("GET", "/wp-login.php", &[], None),
            ("POST", "/xmlrpc.php", &[], Some(LoginDoor::XmlRpc)),
            ("POST", "/a/XMLRPC%2ephp", &[], Some(LoginDoor::XmlRpc)),
            ("POST", "/my-wp-login.php", &[], None),
            ("POST", "/xmlrpc.php.txt", &[], None),
            (
                "GET",
                "/wp-json/wp/v2/users/me",
                &[basic],
                Some(LoginDoor::Authorization),
            ),
            (
                "GET",
                "/?rest_route=/wp/v2/users/me&_envelope",
                &[basic],
                Some(LoginDoor::Enveloped),
            ),
            (
                "GET",
                "/?rest_route=/wp/v2/users/me&.%65nvelope=1",
                &[basic],
                Some(LoginDoor::Enveloped),
            ),
            (
                "POST",
                "/wp-json/wp/v2/posts",
                &[("cookie", "wordpress_logged_in_a=b%7C1")],
                None,
            ),
        ] {
            assert_eq!(
                LoginDoor::of(&head(method, target, fields)),
                expected,
                "{method} {target}"
            );
        }
    }

    #[test]
    fn a_form_names_its_account() {
        let alice = Identity::of_login(Some(b"alice"));
        let unread = Identity::of_login(None);
        let many = format!("{}log=alice&pwd=x", "a=1&".repeat(PHP_VARIABLE_LIMIT));
        for (body, expected) in [
            (Some("log=alice&pwd=x"), Some(&alice)),
            (Some("pwd=x&log=Alice&wp-submit=Log+In"), Some(&alice)),
            (Some("%6cog=alice&pwd=x&"), Some(&alice)),
            (Some("log=alice&pwd="), None),
            (Some("log=alice&pwd[]=x"), None),
            (Some("user_login=alice&action=lostpassword"), None),
            (Some("post_password=x"), None),
            (Some(many.as_str()), Some(&unread)),
            (None, Some(&unread)),
        ] {
            let head = head("POST", "/wp-login.php", &[FORM]);
            let tried = LoginDoor::Form.tried(&head, body.map(str::as_bytes));
            assert_eq!(tried.first(), expected, "{body:?}");
        }
        let multipart = ("content-type", "multipart/form-data; boundary=a");
        let part = |name: &str, value: &str| {
            format!("--a\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
        };
        let body = format!("{}{}--a--\r\n", part("log", "alice"), part("pwd", "x"));
        let head = head("POST", "/wp-login.php", &[multipart]);
        assert_eq!(LoginDoor::Form.tried(&head, Some(body.as_bytes())), [alice]);
    }

    #[test]
    fn the_answer_of_a_form_proves_a_right_password() {
        let with = |cookie: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(SET_COOKIE, HeaderValue::from_static(cookie));
            headers
        };
        for (status, headers, expected) in [
            (200, HeaderMap::new(), false),
            (
                302,
                with("wordpress_logged_in_5f=alice%7C17%7Cx%7Cy; path=/; HttpOnly"),
                true,
            ),
            (200, with("wordpress_logged_in_5f=alice|17|x|y"), true),
            (
                200,
                with("wordpress_logged_in_5f=+; expires=Thu, 01 Jan 1970 00:00:00 GMT"),
                false,
            ),
            (302, with("wordpress_test_cookie=WP%7C"), false),
            (503, HeaderMap::new(), false),
        ] {
            let login = if expected { Login::Written } else { Login::Unproven };
            let shown = shown(LoginDoor::Form, status, &headers, Some(""));
            assert_eq!(shown, login, "{status} {headers:?}");
        }
    }

    #[test]
    fn a_read_of_the_rest_api_shows_that_credentials_are_good() {
        let exposed = "X-WP-Total, X-WP-TotalPages, Link";
        let of_rest: HeaderMap = [(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(exposed))]
            .into_iter()
            .collect();
        let page = HeaderMap::new();
        for (method, headers, status, expected) in [
            ("GET", &of_rest, 200, Login::Read),
            ("GET", &of_rest, 404, Login::NotRefused),
            ("GET", &of_rest, 401, Login::Unproven),
            ("GET", &of_rest, 500, Login::Unproven),
            ("POST", &of_rest, 201, Login::NotRefused),
            ("GET", &page, 200, Login::NotRefused),
        ] {
            let head = head(method, "/wp-json/wp/v2/posts", &[("authorization", "Basic YTpi")]);
            let answer = (StatusCode::from_u16(status).unwrap(), headers);
            let shown = LoginDoor::Authorization.shown_by(&head, answer, None);
            assert_eq!(shown, expected, "{method} {status}");
        }
    }

    #[test]
    fn a_fault_of_a_call_is_seen_however_it_is_printed() {
        let plain = HeaderMap::new();
        let coded: HeaderMap = [(CONTENT_ENCODING, HeaderValue::from_static("gzip"))]
            .into_iter()
            .collect();
        let response =
            |content: &str| format!("<?xml version=\"1.0\"?>\n<methodResponse>{content}</methodResponse>");
        let (wrong, other) = (fault(403), fault(404));
        for (headers, body, expected) in [
            (&plain, response("<array>right</array>"), true),
            (&plain, response(&other), true),
            (&plain, response(&wrong), false),
            (&plain, response(&format!("{other}{wrong}")), false),
            (&plain, response("<int> 403\n</int>"), false),
            (&plain, response(&format!("<fault> {other}</fault>")), true),
            (&plain, response(&format!("<fault>{wrong}</fault>")), false),
            // It ends a list, whatever ran before.
            (
                &plain,
                response(&format!("<fault> {}</fault>", fault(500))),
                false,
            ),
            (&plain, "<methodResponse><array>right</array>".to_owned(), false),
            (&plain, "<html>".to_owned(), false),
            (&plain, String::new(), false),
            (&coded, response("<array>right</array>"), false),
        ] {
            let proves = proves_none(LoginDoor::XmlRpc, 200, headers, Some(&body));
            assert_eq!(proves, expected, "{body}");
        }
        assert!(!proves_none(LoginDoor::XmlRpc, 200, &plain, None));
        let right = response("<array>right</array>");
        assert!(!proves_none(LoginDoor::XmlRpc, 500, &plain, Some(&right)));
    }

    #[test]
    fn an_envelope_hides_no_failed_login() {
        let headers = HeaderMap::new();
        for (body, expected) in [
            (
                r#"{"body":{"code":"incorrect_password"},"status":401,"headers":{}}"#,
                false,
            ),
            (r#"/**/f({"body":{},"status":401,"headers":{}})"#, false),
            ("{\n    \"body\": {},\n    \"status\": 401\n}", false),
            (r#"{"body":{"status":200},"status":200,"status":401}"#, false),
            // A HEAD shows nothing.
            ("", false),
            (r#"{"body":{"id":1},"status":200,"headers":{}}"#, true),
            (r#"{"body":{"id":1,"status":401},"status":404}"#, true),
            (r#"{"body":{},"status":500}"#, false),
        ] {
            let proves = |door| proves_none(door, 200, &headers, Some(body));
            assert_eq!(proves(LoginDoor::Enveloped), expected, "{body}");
            assert!(proves(LoginDoor::Authorization));
        }
        assert!(!proves_none(LoginDoor::Authorization, 401, &headers, Some("")));
    }
}
