//! The credentials of one request: read once, used by rate limits, judgement and forwarding.

use http::header::{AUTHORIZATION, COOKIE, HeaderName};
use http::{HeaderMap, HeaderValue};

use super::authorization::Authorization;
use super::caller::Caller;
use super::cookies::Cookies;
use super::identity::Identity;
use super::secret::Secret;
use crate::policy::Profile;

const X_WP_NONCE: HeaderName = HeaderName::from_static("x-wp-nonce");

/// The credentials of a request, as far as its profile accepts them. The default is an anonymous request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Credentials {
    authorization: Option<Secret<HeaderValue>>,
    cookies: Cookies,
    nonce: Option<Secret<HeaderValue>>,
    identity: Identity,
}

// === impl Credentials ===

impl Credentials {
    /// Reads the credentials of a request. The strict profile ignores cookies and their nonce, which only
    /// WordPress's own pages need (T-20).
    ///
    /// # Errors
    ///
    /// An `Authorization` that is not accepted, which gets [`BAD_AUTHORIZATION`](crate::problem::OwnError): the identity
    /// whose budgets still pay for the request.
    pub fn read(headers: &HeaderMap, profile: Profile) -> Result<Self, Identity> {
        let authorization = Authorization::of(headers);
        let credentials = match profile {
            Profile::Compatible => Self::new(authorization.as_ref(), Cookies::of(headers), nonce(headers)),
            Profile::Strict => Self::new(authorization.as_ref(), Cookies::default(), None),
        };
        if authorization.is_none_or(|found| found.is_accepted(profile)) {
            Ok(credentials)
        } else {
            Err(credentials.identity)
        }
    }

    /// Returns true if the headers have no field that is read for credentials.
    pub fn are_absent(headers: &HeaderMap) -> bool {
        // One pass over the few fields of a request is shorter than three look-ups.
        !headers
            .keys()
            .any(|name| [AUTHORIZATION, COOKIE, X_WP_NONCE].contains(name))
    }

    /// Returns true if the headers show what a site can take for a login: Basic, Bearer, or the cookies of a login. They
    /// need not be valid.
    pub fn are_shown(headers: &HeaderMap) -> bool {
        let is_login = |value: &HeaderValue| {
            let scheme = value.as_bytes().split(|byte| *byte == b' ').next();
            scheme.is_some_and(|scheme| {
                scheme.eq_ignore_ascii_case(b"basic") || scheme.eq_ignore_ascii_case(b"bearer")
            })
        };
        headers.get_all(AUTHORIZATION).iter().any(is_login) || Cookies::of(headers).show_login
    }

    /// All credentials in the headers, acceptable or not.
    pub(super) fn shown_by(headers: &HeaderMap) -> Self {
        Self::new(
            Authorization::of(headers).as_ref(),
            Cookies::of(headers),
            nonce(headers),
        )
    }

    fn new(
        authorization: Option<&Authorization<'_>>,
        cookies: Cookies,
        nonce: Option<Secret<HeaderValue>>,
    ) -> Self {
        Self {
            identity: Identity::new(authorization, &cookies),
            authorization: authorization.map(|found| Secret::new(found.value().clone())),
            cookies,
            nonce,
        }
    }

    /// The identity that the request counts as.
    pub const fn identity(&self) -> &Identity {
        &self.identity
    }

    /// The caller. Anonymous: no Authorization, no login cookie and no nonce (backend.md section 13), neither
    /// in the header nor in `nonce_parameter`, a parameter of the call.
    pub fn caller(&self, nonce_parameter: Option<&HeaderValue>) -> Caller {
        let is_known =
            self.authorization.is_some() || self.cookies.show_login || self.has_nonce(nonce_parameter);
        if is_known {
            Caller::Credentialed
        } else {
            Caller::Anonymous
        }
    }

    /// Returns true if WordPress checks a nonce before it checks the call, and responds with 403 if the nonce
    /// is not valid. Next to a valid `Authorization` a nonce has no effect (backend.md section 13).
    pub fn is_nonce_first(&self, nonce_parameter: Option<&HeaderValue>) -> bool {
        self.has_nonce(nonce_parameter) && self.authorization.is_none()
    }

    /// Returns true if there is an `Authorization`, valid or not.
    pub const fn has_authorization(&self) -> bool {
        self.authorization.is_some()
    }

    /// Returns true if there is a cookie of a login, valid or not.
    pub const fn shows_login(&self) -> bool {
        self.cookies.show_login
    }

    /// Returns true if there is a nonce, in the header or in `parameter`, a parameter of the call.
    pub const fn has_nonce(&self, parameter: Option<&HeaderValue>) -> bool {
        parameter.is_some() || self.nonce.is_some()
    }

    /// Returns true if a cookie contains the password of a protected post.
    pub const fn opens_post(&self) -> bool {
        self.cookies.open_post
    }

    /// Writes the credentials into an outgoing request.
    pub fn write_to(&self, headers: &mut HeaderMap) {
        let fields = [
            (AUTHORIZATION, self.authorization.as_ref().map(Secret::expose)),
            (COOKIE, self.cookies.forwarded()),
            (X_WP_NONCE, self.nonce.as_ref().map(Secret::expose)),
        ];
        for (name, value) in fields {
            if let Some(value) = value {
                headers.insert(name, value.clone());
            }
        }
    }
}

// === impl Caller ===

impl Caller {
    /// The caller of a request whose target, and therefore profile, is not known: all its headers count.
    pub fn shown_by(headers: &HeaderMap) -> Self {
        if Credentials::are_absent(headers) {
            return Self::Anonymous;
        }
        Credentials::shown_by(headers).caller(None)
    }
}

/// The nonce header. Several headers are joined, as a web server joins them.
fn nonce(headers: &HeaderMap) -> Option<Secret<HeaderValue>> {
    let fields = headers.get_all(X_WP_NONCE).iter();
    let values: Vec<&[u8]> = fields.map(HeaderValue::as_bytes).collect();
    if values.is_empty() {
        return None;
    }
    let joined = HeaderValue::from_bytes(&values.join(&b", "[..]));
    joined.ok().map(Secret::new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::credentials::Principal;

    const LOGIN: (&str, &str) = ("cookie", "a=b; wordpress_logged_in_ab=u");
    const NONCE: (&str, &str) = ("x-wp-nonce", "n");
    const BASIC: (&str, &str) = ("authorization", "Basic YTpi");

    fn headers(fields: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.append(*name, HeaderValue::from_static(value));
        }
        headers
    }

    fn read(fields: &[(&'static str, &'static str)], profile: Profile) -> Credentials {
        Credentials::read(&headers(fields), profile).unwrap()
    }

    fn written(credentials: &Credentials) -> Vec<(String, String)> {
        let mut headers = HeaderMap::new();
        credentials.write_to(&mut headers);
        let fields = headers.iter();
        let mut written: Vec<_> = fields
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
            .collect();
        written.sort();
        written
    }

    #[test]
    fn an_identity_is_an_authorization_or_a_login_cookie() {
        let user = Principal::account(b"u").next().unwrap();
        for (field, expected) in [
            (
                ("authorization", "Bearer x"),
                &[Principal::token(b"Bearer x")][..],
            ),
            (("authorization", "Basic VTp4"), std::slice::from_ref(&user)),
            (LOGIN, std::slice::from_ref(&user)),
            (("cookie", "a=b"), &[]),
            (NONCE, &[]),
        ] {
            let credentials = read(&[field], Profile::Compatible);
            assert_eq!(credentials.identity().principals, expected, "{field:?}");
        }
    }

    #[test]
    fn distinguishes_anonymous_requests() {
        let parameter = HeaderValue::from_static("p");
        for (fields, nonce, expected) in [
            (&[][..], None, Caller::Anonymous),
            (&[("cookie", "wp-postpass_a=b")], None, Caller::Anonymous),
            (&[("cookie", "wordpress_sec_a")], None, Caller::Credentialed),
            (&[LOGIN], None, Caller::Credentialed),
            (&[NONCE], None, Caller::Credentialed),
            (&[("authorization", "")], None, Caller::Credentialed),
            (&[], Some(&parameter), Caller::Credentialed),
        ] {
            let credentials = read(fields, Profile::Compatible);
            assert_eq!(credentials.caller(nonce), expected, "{fields:?}");
        }
    }

    #[test]
    fn a_nonce_comes_first_unless_there_is_an_authorization() {
        let parameter = HeaderValue::from_static("p");
        for (fields, nonce, expected) in [
            (&[][..], None, false),
            (&[NONCE], None, true),
            (&[], Some(&parameter), true),
            (&[NONCE, BASIC], None, false),
            (&[BASIC], Some(&parameter), false),
        ] {
            let credentials = read(fields, Profile::Compatible);
            assert_eq!(credentials.is_nonce_first(nonce), expected, "{fields:?}");
        }
    }

    #[test]
    fn the_strict_profile_ignores_cookies_and_nonces() {
        let fields = [LOGIN, NONCE, ("cookie", "wp-postpass_a=b")];
        assert_eq!(read(&fields, Profile::Strict), Credentials::default());
        let credentials = read(&[LOGIN, NONCE, BASIC], Profile::Strict);
        assert_eq!(credentials, read(&[BASIC], Profile::Compatible));
        assert_eq!(
            written(&credentials),
            [("authorization".into(), "Basic YTpi".into())]
        );
    }

    #[test]
    fn writes_the_credentials_that_were_read() {
        let fields = [BASIC, LOGIN, NONCE, ("x-wp-nonce", "m")];
        let written = written(&read(&fields, Profile::Compatible));
        let expected = [
            ("authorization", "Basic YTpi"),
            ("cookie", "wordpress_logged_in_ab=u"),
            ("x-wp-nonce", "n, m"),
        ];
        assert_eq!(
            written,
            expected.map(|(name, value)| (name.to_owned(), value.to_owned()))
        );
    }

    #[test]
    fn rejected_credentials_still_count() {
        let fields = headers(&[BASIC, ("authorization", "Bearer x"), LOGIN]);
        let rejected = Credentials::read(&fields, Profile::Compatible).unwrap_err();
        let accounts: Vec<Principal> = [b"a", b"u"]
            .into_iter()
            .flat_map(|name| Principal::account(name))
            .collect();
        assert_eq!(rejected.principals, accounts);
        assert_eq!(rejected.account(), None);
    }

    #[test]
    fn secrets_are_not_printed() {
        let credentials = read(&[BASIC, LOGIN, NONCE], Profile::Compatible);
        let printed = format!("{credentials:?}");
        assert!(printed.contains("[redacted]"), "{printed}");
        for secret in ["YTpi", "logged_in_ab", "\"n\"", "\"a\""] {
            assert!(!printed.contains(secret), "{printed}");
        }
    }
}
