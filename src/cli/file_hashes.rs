//! Hashes in files that outlive a run: of records, and of the account that read them.

use std::fmt::Write as _;
use std::num::NonZeroU32;

use calendar_edge_core::settings::Profile;
use calendar_edge_judge::call::credentials::Credentials;
use http::HeaderMap;
use ring::digest::{SHA256, digest};
use ring::pbkdf2;
use serde_json::Value;

/// Rounds of PBKDF2: some hundredths of a second, so that a file does not help to guess a token.
const ROUNDS: NonZeroU32 = NonZeroU32::new(100_000).expect("not zero");

/// SHA-256 in hexadecimal digits.
pub(super) fn sha256(bytes: &[u8]) -> String {
    hexadecimal(digest(&SHA256, bytes).as_ref())
}

/// A hash of a record's content: of its JSON, without what is spelt at random. WordPress writes some letters of e-mail
/// addresses as entities, others each time.
pub(super) fn record_hash(record: &Value) -> String {
    sha256(without_entities(&record.to_string()).as_bytes())
}

/// The text with letters for their decimal entities: `&#101;` is `e`.
fn without_entities(text: &str) -> String {
    let mut pieces = text.split("&#");
    let mut whole = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let letter = piece.split_once(';').and_then(|(number, rest)| {
            let letter = char::from(number.parse::<u8>().ok()?);
            letter.is_ascii_graphic().then_some((letter, rest))
        });
        match letter {
            Some((letter, rest)) => {
                whole.push(letter);
                whole.push_str(rest);
            }
            None => whole.extend(["&#", piece]),
        }
    }
    whole
}

/// A name of the account whose headers these are, from which neither it nor its credentials can be read; none without
/// headers. The same account has the same name at one site with each of its passwords. Credentials without an account
/// name have to be the same.
pub(super) fn account(site: &str, headers: &HeaderMap) -> Option<String> {
    if headers.is_empty() {
        return None;
    }
    let credentials = Credentials::read(headers, Profile::Compatible).ok();
    let named = credentials.as_ref().and_then(|one| one.identity().sole_account());
    let text = named.map_or_else(|| lines(headers), |name| format!("account {name}").into_bytes());
    let mut name = [0; 16];
    pbkdf2::derive(
        pbkdf2::PBKDF2_HMAC_SHA256,
        ROUNDS,
        site.as_bytes(),
        &text,
        &mut name,
    );
    Some(hexadecimal(&name))
}

/// The headers in the order of their names.
fn lines(headers: &HeaderMap) -> Vec<u8> {
    let one = |(name, value): (&http::HeaderName, &http::HeaderValue)| {
        [name.as_str().as_bytes(), b":", value.as_bytes(), b"\n"].concat()
    };
    let mut lines: Vec<Vec<u8>> = headers.iter().map(one).collect();
    lines.sort();
    lines.concat()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};
    use serde_json::json;

    use super::*;

    fn named(site: &str, headers: &[(&'static str, &'static str)]) -> Option<String> {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        account(site, &headers.iter().map(pair).collect())
    }

    #[test]
    fn an_account_has_one_name_at_one_site() {
        // alice:x, alice:y and bob:x
        let [alice, other_password, bob] = ["Basic YWxpY2U6eA==", "Basic YWxpY2U6eQ==", "Basic Ym9iOng="]
            .map(|value| named("http://a.example/", &[("authorization", value)]));
        assert!(alice.is_some() && alice == other_password && alice != bob);
        let elsewhere = named("http://b.example/", &[("authorization", "Basic YWxpY2U6eA==")]);
        assert_ne!(alice, elsewhere);
        let tokens = ["Bearer a", "Bearer b"].map(|token| named("", &[("authorization", token)]));
        assert_ne!(tokens[0], tokens[1]);
        let (one, two) = (("x-a", "1"), ("x-b", "2"));
        assert_eq!(named("", &[one, two]), named("", &[two, one]));
        assert_eq!(named("", &[]), None);
    }

    #[test]
    fn an_address_in_other_letters_is_no_change() {
        let of = |text: &str| record_hash(&json!({ "description": text }));
        assert_eq!(of("a&#64;b.&#101;x &#8211;"), of("&#97;@b.ex &#8211;"));
        assert_ne!(of("a@b.ex"), of("a@b.ey"));
        assert_ne!(of("&#8211;"), of("&#8212;"));
    }
}
