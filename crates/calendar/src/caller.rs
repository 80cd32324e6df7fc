//! The caller, whom the edge names in a signed header, and what WordPress lets a role do.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use calendar_edge_judge::call::credentials::Credentials;
use calendar_edge_judge::policy::Profile;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::refused::Refused;
use crate::secret::{Secret, unix_time};

/// The header with the identity, a JSON Web Token.
const IDENTITY: &str = "x-calendar-edge-identity";

/// The login name of the administrator.
pub const USERNAME: &str = "demo";

/// The application password of every account; blanks in it do not count. Not a secret.
pub const PASSWORD: &str = "sand boxs ecre tcal enda redg";

/// Name, number and role of each account.
const ACCOUNTS: [(&str, u64, &str); 3] = [
    (USERNAME, 1, "administrator"),
    ("contributor", 2, "contributor"),
    ("subscriber", 3, "subscriber"),
];

/// The largest difference between two clocks, in seconds.
const SKEW: u64 = 60;

/// The way in which a calendar recognizes its callers.
#[derive(Debug, Clone, Default)]
pub enum Callers {
    /// All are anonymous.
    #[default]
    Nobody,
    /// Accounts of the sample calendar, by Basic authentication.
    Sample,
    /// Accounts of WordPress, by the identity that the edge signs.
    Signed(Audience),
}

/// Reads identities.
#[derive(Debug, Clone)]
pub struct Audience {
    /// The name of this service in the configuration of the edge.
    pub name: String,
    /// The secret of `identity_secret_file`.
    pub secret: Secret,
}

/// An account, or none.
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

// === impl Callers ===

impl Callers {
    /// The caller that the headers of a request prove.
    pub(crate) fn caller(&self, headers: &HeaderMap) -> Result<Caller, Refused> {
        match self {
            Self::Nobody => Ok(Caller::default()),
            Self::Sample => basic(headers),
            Self::Signed(audience) => {
                let Some(token) = headers.get(IDENTITY) else {
                    return Ok(Caller::default());
                };
                let caller = token
                    .to_str()
                    .ok()
                    .and_then(|token| audience.caller(token, unix_time()));
                caller.ok_or_else(|| Refused::forbidden(true))
            }
        }
    }
}

/// An account of the sample calendar; credentials of another scheme count as none.
fn basic(headers: &HeaderMap) -> Result<Caller, Refused> {
    let sent = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok());
    let Some((scheme, token)) = sent.and_then(|value| value.split_once(' ')) else {
        return Ok(Caller::default());
    };
    let decoded = STANDARD.decode(token.trim()).unwrap_or_default();
    let decoded = String::from_utf8(decoded).unwrap_or_default();
    let Some((name, password)) = decoded
        .split_once(':')
        .filter(|_| scheme.eq_ignore_ascii_case("basic"))
    else {
        return Ok(Caller::default());
    };
    let squeezed = |text: &str| text.split_ascii_whitespace().collect::<String>();
    match ACCOUNTS.iter().find(|(known, ..)| *known == name) {
        Some((_, id, role)) if squeezed(password) == squeezed(PASSWORD) => Ok(Caller {
            id: Some(*id),
            roles: vec![(*role).to_owned()],
        }),
        Some(_) => Err(Refused::new(
            StatusCode::UNAUTHORIZED,
            "incorrect_password",
            "The provided password is an invalid application password.",
        )),
        None => Err(Refused::new(
            StatusCode::UNAUTHORIZED,
            "invalid_username",
            "<strong>Error:</strong> Unknown username. Check again or try your email address.",
        )),
    }
}

// === impl Audience ===

impl Audience {
    /// The account that a token names; none if it is not signed for this service and this time.
    fn caller(&self, token: &str, now: u64) -> Option<Caller> {
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
    /// The credentials for the judge: that there is an account, whose rights are decided here.
    pub(crate) fn credentials(&self) -> Credentials {
        let known = self.id.map(|_| HeaderValue::from_static("Bearer known"));
        let headers = known.map(|known| (header::AUTHORIZATION, known));
        Credentials::read(&headers.into_iter().collect(), Profile::Compatible).unwrap_or_default()
    }

    /// True if the account may write, and sees unpublished records in lists.
    pub(crate) fn may_write(&self) -> bool {
        self.may_publish() || self.has_role(&["contributor"])
    }

    /// True if the records that it writes are published.
    pub(crate) fn may_publish(&self) -> bool {
        self.has_role(&["administrator", "editor", "author"])
    }

    /// True if it reads the records of all.
    pub(crate) fn reads_all(&self) -> bool {
        self.has_role(&["administrator", "editor"])
    }

    /// True if it reads a record of this status and author.
    pub(crate) fn may_read(&self, status: &str, author: &str) -> bool {
        let is_own = || self.id.is_some_and(|id| id.to_string() == author);
        status == "publish" || self.reads_all() || (self.may_write() && is_own())
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
