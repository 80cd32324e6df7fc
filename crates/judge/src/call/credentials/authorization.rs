//! The `Authorization` field: the number of fields, the scheme, and the content of Basic credentials.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue};

use super::principal::Principal;
use super::secret::Secret;
use crate::policy::Profile;
use crate::wordpress::value::split_once;

/// Maximum bytes of the value (T-24).
const LONGEST: usize = 1024;

/// The first `Authorization` of a request. It does not implement `Debug`, because it borrows the secret.
pub(super) struct Authorization<'a> {
    value: &'a HeaderValue,
    /// True if another field follows.
    is_repeated: bool,
    scheme: &'a [u8],
    /// The decoded Basic credentials.
    pair: Option<Secret<Vec<u8>>>,
}

// === impl Authorization ===

impl<'a> Authorization<'a> {
    pub(super) fn of(headers: &'a HeaderMap) -> Option<Self> {
        let mut values = headers.get_all(AUTHORIZATION).iter();
        let value = values.next()?;
        let (scheme, rest) = split_scheme(value.as_bytes());
        let pair = scheme.eq_ignore_ascii_case(b"basic").then(|| decode(rest));
        Some(Self {
            value,
            is_repeated: values.next().is_some(),
            scheme,
            pair: pair.flatten(),
        })
    }

    /// True if the field is accepted: of two fields, servers differ in which one counts, and no real value is so long.
    /// The compatible profile accepts a value that WordPress cannot read, because WordPress treats it as no credentials
    /// (backend.md section 13). The strict profile accepts Basic alone.
    pub(super) fn is_accepted(&self, profile: Profile) -> bool {
        let is_plain = !self.is_repeated && self.value.len() <= LONGEST;
        is_plain && (profile == Profile::Compatible || self.is_readable())
    }

    /// Returns true for Basic with a name, one colon and a password. Application passwords contain no colon (T-24).
    fn is_readable(&self) -> bool {
        let pair = self.pair.as_ref();
        self.scheme.eq_ignore_ascii_case(b"basic") && pair.is_some_and(|pair| is_strict_pair(pair.expose()))
    }

    /// The account that Basic credentials name, in lower case; `None` if the field is repeated.
    pub(super) fn account(&self) -> Option<String> {
        let pair = self.pair.as_ref().filter(|_| !self.is_repeated)?.expose();
        let name = pair.get(..pair.iter().position(|byte| *byte == b':')?)?;
        Some(String::from_utf8_lossy(name).to_ascii_lowercase())
    }

    /// The account of the first field. A password does not count: WordPress takes several spellings of one.
    pub(super) fn principals(&self) -> Vec<Principal> {
        let pair = self.pair.as_ref().map(|pair| pair.expose().as_slice());
        match pair.and_then(|pair| split_once(pair, b':')) {
            Some((name, _)) => Principal::account(name).collect(),
            None => vec![Principal::token(self.value.as_bytes())],
        }
    }

    /// True if these are Basic credentials other than one blank and the exact base64 of `name:password`. PHP skips
    /// bytes that are not base64, so that it may read a name where the edge reads none.
    pub(super) fn is_inexact_basic(&self) -> bool {
        if !self.scheme.eq_ignore_ascii_case(b"basic") {
            return false;
        }
        let token = self.value.as_bytes().get(self.scheme.len()..).unwrap_or_default();
        let exact = token
            .strip_prefix(b" ")
            .and_then(|token| STANDARD.decode(token).ok());
        !exact.is_some_and(|pair| pair.contains(&b':'))
    }

    pub(super) const fn value(&self) -> &HeaderValue {
        self.value
    }
}

/// Splits a value before its first blank, which ends the scheme.
fn split_scheme(value: &[u8]) -> (&[u8], &[u8]) {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let end = value.iter().position(is_blank).unwrap_or(value.len());
    value.split_at(end)
}

fn decode(token: &[u8]) -> Option<Secret<Vec<u8>>> {
    STANDARD.decode(token.trim_ascii()).ok().map(Secret::new)
}

fn is_strict_pair(pair: &[u8]) -> bool {
    let has_one_colon = pair.split(|&byte| byte == b':').count() == 2;
    has_one_colon && !pair.iter().any(u8::is_ascii_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_accepted(values: &[&str], profile: Profile) -> bool {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_str(value).unwrap());
        }
        Authorization::of(&headers).is_none_or(|found| found.is_accepted(profile))
    }

    fn basic(pair: &str) -> String {
        format!("basic {}", STANDARD.encode(pair))
    }

    #[test]
    fn one_authorization_of_sane_length_passes() {
        let long = "a".repeat(LONGEST + 1);
        for (values, expected) in [
            (&[][..], true),
            (&["Bearer x"], true),
            (&["Basic !!"], true),
            (&[""], true),
            (&[&long[1..]], true),
            (&["a", "a"], false),
            (&[&long], false),
        ] {
            assert_eq!(is_accepted(values, Profile::Compatible), expected);
        }
    }

    #[test]
    fn strict_reads_basic_pairs_alone() {
        for (value, expected) in [
            (basic("name:pass word"), true),
            (basic("name:pass:word"), false),
            (basic("name:"), true),
            (basic("name"), false),
            (basic("name:a\nb"), false),
            ("Basic !!".to_owned(), false),
            ("Basic".to_owned(), false),
            ("Bearer x".to_owned(), false),
            ("x".to_owned(), false),
            (String::new(), false),
        ] {
            assert_eq!(is_accepted(&[&value], Profile::Strict), expected, "{value}");
        }
    }

    #[test]
    fn inexact_basic_credentials_are_known() {
        for (value, expected) in [
            ("Basic YTpi", false),
            ("bASIC YTpi", false),
            ("Basic QWxpY2U6eA==", false),
            ("Basic QWxpY2U6eA", true),
            ("Basic QWxpY2U6eA=", true),
            ("Basic QWxpY2U6eB==", true),
            ("Basic  YTpi", true),
            ("Basic\tYTpi", true),
            ("Basic YTpi ", true),
            ("Basic Y*Tpi", true),
            ("Basic YT pi", true),
            ("Basic -_pi", true),
            ("Basic YWI=", true),
            ("Basic ", true),
            ("Basic", true),
            ("Bearer !!", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(AUTHORIZATION, HeaderValue::from_static(value));
            let found = Authorization::of(&headers).map(|found| found.is_inexact_basic());
            assert_eq!(found, Some(expected), "{value}");
        }
    }

    #[test]
    fn basic_credentials_name_an_account() {
        for (value, expected) in [
            ("Basic QWxpY2U6eA==", Some("alice")),
            ("basic  QWxpY2U6eDp5 ", Some("alice")),
            ("Basic QWxpY2U=", None),
            ("Basic !!", None),
            ("Bearer QWxpY2U6eA==", None),
            ("", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(AUTHORIZATION, HeaderValue::from_static(value));
            let account = Authorization::of(&headers).and_then(|found| found.account());
            assert_eq!(account.as_deref(), expected, "{value}");
        }
    }
}
