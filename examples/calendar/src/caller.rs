//! The caller, whom the edge names in a signed header, and what WordPress lets a role do.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::secret::Secret;

/// The header with the identity, a JSON Web Token.
pub(crate) const IDENTITY: &str = "x-calendar-edge-identity";

/// The largest difference between two clocks, in seconds.
const SKEW: u64 = 60;

/// Reads identities.
#[derive(Debug, Clone)]
pub struct Audience {
    /// The name of this service in the configuration of the edge.
    pub name: String,
    /// The secret of `identity_secret_file`.
    pub secret: Secret,
}

/// An account of WordPress, or nobody.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Caller {
    /// The number of the account; none without one.
    pub(crate) id: Option<u64>,
    roles: Vec<String>,
}

#[derive(Deserialize)]
struct Head {
    alg: String,
}

#[derive(Deserialize)]
struct Claims {
    iss: String,
    aud: String,
    sub: String,
    roles: Vec<String>,
    iat: u64,
    exp: u64,
}

// === impl Audience ===

impl Audience {
    /// The account that a token names; none if it is not signed for this service and this time.
    pub(crate) fn caller(&self, token: &str, now: u64) -> Option<Caller> {
        let (signed, signature) = token.rsplit_once('.')?;
        let (head, claims) = signed.split_once('.')?;
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        let is_signed = decoded::<Head>(head)?.alg == "HS256" && self.secret.has_signed(signed, &signature);
        let claims: Claims = decoded(claims).filter(|_| is_signed)?;
        let is_meant = claims.iss == "calendar-edge" && claims.aud == self.name;
        let is_timely = claims.iat <= now + SKEW && now <= claims.exp + SKEW;
        (is_meant && is_timely).then_some(())?;
        Some(Caller {
            id: Some(claims.sub.parse().ok()?),
            roles: claims.roles,
        })
    }
}

fn decoded<T: DeserializeOwned>(part: &str) -> Option<T> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).ok()?).ok()
}

// === impl Caller ===

impl Caller {
    /// Whether the account may write, and sees in lists what is not published.
    pub(crate) fn may_write(&self) -> bool {
        self.may_publish() || self.has_role(&["contributor"])
    }

    /// Whether what it writes is published.
    pub(crate) fn may_publish(&self) -> bool {
        self.has_role(&["administrator", "editor", "author"])
    }

    /// Whether it reads a record of this status and author.
    pub(crate) fn may_read(&self, status: &str, author: &str) -> bool {
        let is_own = || self.id.is_some_and(|id| id.to_string() == author);
        status == "publish" || self.has_role(&["administrator", "editor"]) || (self.may_write() && is_own())
    }

    fn has_role(&self, wanted: &[&str]) -> bool {
        self.roles.iter().any(|role| wanted.contains(&role.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MADE: u64 = 1_700_000_000;

    #[test]
    fn a_token_names_its_account_for_a_minute_and_one_audience() {
        let token = include_str!("../../../fixtures/mark/identity.txt").trim();
        let secret = Secret::new(b"a secret of thirty-two characters").expect("long enough");
        let audience = |name: &str, secret: &Secret| Audience {
            name: name.to_owned(),
            secret: secret.clone(),
        };
        let next = audience("next", &secret);
        let caller = next.caller(token, MADE + 5).expect("an account");
        assert_eq!(caller.id, Some(5));
        assert!(caller.may_publish() && caller.may_read("private", "9"));
        for now in [MADE - SKEW - 1, MADE + 60 + SKEW + 1] {
            assert_eq!(next.caller(token, now), None, "{now}");
        }
        assert_eq!(audience("other", &secret).caller(token, MADE), None);
        let other = Secret::new(b"another secret of many characters").expect("long enough");
        assert_eq!(audience("next", &other).caller(token, MADE), None);
        let unsigned = URL_SAFE_NO_PAD.encode(br#"{"alg":"none"}"#);
        let rest = token.split_once('.').expect("three parts").1;
        assert_eq!(next.caller(&format!("{unsigned}.{rest}"), MADE), None);
        assert_eq!(next.caller("", MADE), None);
    }
}
