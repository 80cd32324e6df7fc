//! The header that names the caller to a candidate: a JSON Web Token (RFC 7519) that the edge signs with HS256.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{HeaderName, HeaderValue};
use ring::hmac;
use serde::Deserialize;
use serde_json::json;

use crate::settings::MarkKey;

/// Carries the identity of the caller to a candidate; a client must never be able to send it there.
pub const IDENTITY: HeaderName = HeaderName::from_static("x-calendar-edge-identity");

/// The account that the site takes a caller for, by its response to `users/me`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SiteUser {
    id: u64,
    username: String,
    #[serde(default)]
    email: String,
    roles: Vec<String>,
}

// === impl SiteUser ===

impl SiteUser {
    /// The time for which a token is valid, in seconds: a call may wait for a permit of the backend.
    pub const TOKEN_SECONDS: u64 = 60;

    /// The most bytes of a token: servers refuse longer header lines.
    const LONGEST_TOKEN: usize = 4096;

    /// Reads the response to `users/me?context=edit`; none if it names no account with roles.
    pub fn of_response(body: &[u8]) -> Option<Self> {
        let user: Self = serde_json::from_slice(body).ok()?;
        (user.id > 0 && !user.username.is_empty()).then_some(user)
    }

    /// The names by which the account can log in: its user name, and its e-mail address if the site shows it.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let names = [self.username.as_str(), self.email.as_str()];
        names.into_iter().filter(|name| !name.is_empty())
    }

    /// The token of this account for one backend at a time in seconds since 1970; none if it would be too long for a
    /// header.
    pub fn token(&self, key: &MarkKey, audience: &str, unix_time: u64) -> Option<HeaderValue> {
        let claims = json!({
            "iss": "calendar-edge",
            "aud": audience,
            "sub": self.id.to_string(),
            "login": self.username,
            "roles": self.roles,
            "iat": unix_time,
            "exp": unix_time.saturating_add(Self::TOKEN_SECONDS),
        });
        let head = URL_SAFE_NO_PAD.encode(br#"{"alg":"HS256","typ":"JWT"}"#);
        let claims = URL_SAFE_NO_PAD.encode(claims.to_string());
        let signed = format!("{head}.{claims}");
        let signature = URL_SAFE_NO_PAD.encode(hmac::sign(key.hmac(), signed.as_bytes()));
        let mut value = HeaderValue::try_from(format!("{signed}.{signature}")).ok()?;
        value.set_sensitive(true);
        (value.len() <= Self::LONGEST_TOKEN).then_some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> MarkKey {
        MarkKey::new(b"a secret of thirty-two characters").unwrap()
    }

    #[test]
    fn a_token_is_the_known_one() {
        let answer =
            r#"{"id":5,"username":"Ren\u00e9","email":"r@example.org","roles":["editor"],"_links":{}}"#;
        let user = SiteUser::of_response(answer.as_bytes()).unwrap();
        assert_eq!(user.names().collect::<Vec<_>>(), ["René", "r@example.org"]);
        let token = user.token(&key(), "next", 1_700_000_000).unwrap();
        assert!(token.is_sensitive());
        // Made by Python: hmac and base64 of the standard library.
        assert_eq!(
            token,
            include_str!("../../../../../fixtures/mark/identity.txt").trim()
        );
    }

    #[test]
    fn answers_without_an_account_are_none() {
        for answer in [
            "",
            "{}",
            "[]",
            "<html>",
            r#"{"id":0,"username":"a","roles":[]}"#,
            r#"{"id":5,"username":"","roles":[]}"#,
            r#"{"id":5,"username":"a"}"#,
            r#"{"id":-5,"username":"a","roles":[]}"#,
            r#"{"id":"5","username":"a","roles":[]}"#,
            r#"{"id":5,"username":"a","roles":{"0":"editor"}}"#,
            r#"{"id":5,"username":"a","roles":[]} x"#,
        ] {
            assert_eq!(SiteUser::of_response(answer.as_bytes()), None, "{answer}");
        }
    }

    #[test]
    fn a_token_that_is_too_long_is_none() {
        let user = SiteUser {
            id: 5,
            username: "a".to_owned(),
            email: String::new(),
            roles: vec!["r".repeat(4000)],
        };
        assert_eq!(user.token(&key(), "next", 0), None);
    }
}
