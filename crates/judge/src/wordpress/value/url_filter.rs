//! PHP's URL filter: the texts that `FILTER_VALIDATE_URL` accepts.
//!
//! The filter is not a parser of RFC 3986. It looks for a scheme, splits the authority in its own way, and
//! checks the host of `http` and `https` only. This module does the same, so it never refuses a link that the
//! origin accepts.

use std::net::Ipv6Addr;
use std::sync::LazyLock;

use regex_automata::meta::Regex;

use super::{Verdict, Why, split_once};
use crate::wordpress::expression;

/// The length of the longest host name in bytes, without a final dot.
const LONGEST_HOST: usize = 253;

static SCHEME: LazyLock<Regex> = LazyLock::new(|| expression(r"(?i)^[a-z0-9+.-]+$"));

static PORT: LazyLock<Regex> = LazyLock::new(|| expression(r"^[0-9]{1,5}(/|$)"));

/// A user name and password: unreserved bytes, sub-delimiters, colons and percent-escapes.
static USER_INFO: LazyLock<Regex> =
    LazyLock::new(|| expression(r"(?i)^([a-z0-9._~!$&'()*+,;=:-]|%[0-9][0-9a-f])*$"));

/// Labels of letters, digits and hyphens, each of which begins and ends with a letter or digit. A dot may follow the
/// last label, which may then end with a hyphen.
static HOST_NAME: LazyLock<Regex> = LazyLock::new(|| {
    let label = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";
    expression(&format!(
        r"(?i)^({label}\.)*({label}|[a-z0-9][a-z0-9-]{{0,62}}\.)$"
    ))
});

/// Judges whether the plugin accepts a text as a web address (backend.md section 5, "URL or empty").
///
/// Accepted are the empty text and `0`. Other texts must pass PHP's URL filter: printable ASCII without
/// blanks, a scheme, and a host (`mailto:`, `news:` and `file:` need none). A bad user name before an IPv6
/// host is deferred, because PHP up to 8.2.19 accepts it.
pub fn url_or_empty(text: &[u8]) -> Verdict {
    if text.is_empty() || text == b"0" {
        return Verdict::Admit;
    }
    by_parts(text).unwrap_or(Verdict::Reject)
}

/// The verdict by the parts of an address; `None` if PHP sees no scheme, no host or no valid port, and therefore refuses
/// it.
fn by_parts(text: &[u8]) -> Option<Verdict> {
    if !text.iter().all(u8::is_ascii_graphic) {
        return None;
    }
    let (scheme, rest) = split_once(text, b':')?;
    // A port behind the first colon: the text before it is a host and not a scheme.
    if !SCHEME.is_match(scheme) || PORT.is_match(rest) {
        return None;
    }
    let is_file = scheme.eq_ignore_ascii_case(b"file");
    let behind_slashes = rest.strip_prefix(b"//");
    let Some(rest) = behind_slashes.filter(|path| !(is_file && path.starts_with(b"/"))) else {
        return Some(Verdict::of(matches!(scheme, b"mailto" | b"news" | b"file")));
    };
    let (user, host) = authority(rest)?;
    let is_web = scheme.eq_ignore_ascii_case(b"http") || scheme.eq_ignore_ascii_case(b"https");
    let is_ipv6 = is_web && is_ipv6_literal(host);
    if is_web && !is_ipv6 && !is_host_name(host) {
        return None;
    }
    Some(match USER_INFO.is_match(user) {
        true => Verdict::Admit,
        false if is_ipv6 => Verdict::Defer(Why::PhpBuild),
        false => Verdict::Reject,
    })
}

/// The user name and host of the text behind the two slashes; `None` if there is no host, or if the port is not a number up
/// to 65535.
fn authority(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#'));
    let authority = rest.get(..end.unwrap_or(rest.len()))?;
    let (user, host) = split_at_last(authority, b'@').unwrap_or((b"", authority));
    let is_bracketed = host.starts_with(b"[") && host.ends_with(b"]");
    let host = match split_at_last(host, b':') {
        Some((host, port)) if !is_bracketed => is_host_port(port).then_some(host)?,
        _ => host,
    };
    (!host.is_empty()).then_some((user, host))
}

/// True for a port after a host: empty, or at most five bytes that begin with a number, which may have a
/// sign.
fn is_host_port(port: &[u8]) -> bool {
    if port.is_empty() {
        return true;
    }
    let (sign, digits) = match port {
        [sign @ (b'+' | b'-'), digits @ ..] => (*sign, digits),
        _ => (b'+', port),
    };
    let count = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = digits
        .iter()
        .take(count.min(5))
        .fold(0u32, |number, digit| number * 10 + u32::from(digit - b'0'));
    port.len() <= 5 && count > 0 && number <= 65_535 && (sign == b'+' || number == 0)
}

/// `[::1]`
fn is_ipv6_literal(host: &[u8]) -> bool {
    let inner = host.strip_prefix(b"[").and_then(|host| host.strip_suffix(b"]"));
    inner
        .and_then(|address| std::str::from_utf8(address).ok())
        .is_some_and(|address| address.parse::<Ipv6Addr>().is_ok())
}

fn is_host_name(host: &[u8]) -> bool {
    host.strip_suffix(b".").unwrap_or(host).len() <= LONGEST_HOST && HOST_NAME.is_match(host)
}

fn split_at_last(text: &[u8], byte: u8) -> Option<(&[u8], &[u8])> {
    let place = memchr::memrchr(byte, text)?;
    Some((text.get(..place)?, text.get(place + 1..)?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::wordpress::value::fixture;
    use crate::wordpress::value::oracle::{Score, compare};

    const CASES: &str = include_str!("../../../../../fixtures/urls/cases.tsv");

    #[test]
    fn agrees_with_the_recorded_verdicts_of_php() {
        let cases = fixture::rows(CASES);
        assert!(cases.len() >= 300, "the table is complete");
        let score = Score::of(
            url_or_empty,
            cases.iter().map(|(text, columns)| (&text[..], columns[0])),
        );
        score.assert_none_wrong("recorded URLs");
        score.assert_few_deferred();
    }

    #[test]
    fn agrees_with_live_php_on_generated_urls() {
        compare("made-up URLs", "urls/verdicts.php", url_or_empty, &urls());
    }

    proptest! {
        #[test]
        fn never_panics_on_bytes(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            url_or_empty(&bytes);
        }

        #[test]
        fn never_panics_on_pieces_of_urls(text in urls()) {
            url_or_empty(&text);
        }
    }

    /// Texts with the parts of an address, each of which is sometimes missing, odd or broken.
    fn urls() -> impl Strategy<Value = Vec<u8>> {
        let any_of = |parts: &'static [&'static str]| prop::sample::select(parts).prop_map(str::to_owned);
        let either = |parts, noise| prop_oneof![12 => any_of(parts), 1 => noise];
        let noise = "[ -~]{0,3}";
        (
            either(SCHEMES, noise),
            either(SLASHES, noise),
            either(USERS, "[!-~]{0,6}@"),
            either(HOSTS, "[a-z0-9:.\\[\\]-]{0,8}"),
            either(PORTS, ":[0-9+a-]{0,6}"),
            either(PATHS, "[ -~é]{0,5}"),
        )
            .prop_map(|parts| {
                let (scheme, slashes, user, host, port, path) = parts;
                [scheme, slashes, user, host, port, path].concat().into_bytes()
            })
    }

    const SCHEMES: &[&str] = &[
        "http:",
        "http:",
        "https:",
        "HTTP:",
        "ftp:",
        "mailto:",
        "news:",
        "file:",
        "FILE:",
        "Mailto:",
        "javascript:",
        "data:",
        "x+y.z-1:",
        "1a:",
        "a_b:",
        ":",
        "",
        "tel:",
        "a.com:",
    ];
    const SLASHES: &[&str] = &["//", "//", "//", "//", "/", "", "///", "////", "\\\\"];
    const USERS: &[&str] = &[
        "",
        "",
        "",
        "",
        "u@",
        "u:p@",
        ":@",
        "@",
        "u%20:p@",
        "u%aa@",
        "u%0@",
        "u%@",
        "u@v@",
        "u:p:q@",
        "u/p@",
        "u\"@",
        "u[@",
        "u~!$&'()*+,;=@",
        "u?@",
        "u#@",
        "%2f@",
    ];
    const HOSTS: &[&str] = &[
        "x.example",
        "x.example",
        "localhost",
        "",
        "127.0.0.1",
        "256.1.1.1",
        "a..b",
        ".a",
        "a.",
        "a..",
        "-a.b",
        "a-.b",
        "a.b-",
        "a.b-.",
        "a_b.c",
        "a.-b",
        "xn--bcher-kva.example",
        "[::1]",
        "[::]",
        "[1:2:3:4:5:6:7:8]",
        "[1::8",
        "[::1.2.3.4]",
        "[1:2:3:4:5:6:7::]",
        "[::2:3:4:5:6:7:8]",
        "[1:2:3:4:5:6:1.2.3.4]",
        "[::01.2.3.4]",
        "[12345::]",
        "[:1]",
        "[v1.a]",
        "[]",
        "[::1%25eth0]",
        "[::1]x",
        "1",
        "a%20b",
        "bücher.example",
        "a b",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.b",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.b",
        "a@b.example",
        "[::FFFF:1.2.3.4]",
        "[1::2::3]",
        "[0:0:0:0:0:0:0:0:0]",
        "[1:2:3:4:5:6:7::8]",
        "[::1.2.3]",
        "[1.2.3.4]",
        "[fe80::1]",
    ];
    const PORTS: &[&str] = &[
        "", "", "", "", ":80", ":0", ":65535", ":65536", ":99999", ":100000", ":", ":a", ":8a", ":+80",
        ":-1", ":-0", ":080", ":80:90", ": 80", "::", ":00000",
    ];
    const PATHS: &[&str] = &[
        "",
        "/",
        "/a/b",
        "/a b",
        "/ü",
        "?q",
        "?",
        "#f",
        "#",
        "/a?b#c",
        "/a:80",
        "?a@b",
        "/%zz",
        "/a\\b",
        "/<>\"{}|^`",
        "\t",
        "\n",
        "\u{0}",
        "/a\u{0}",
        ":/x",
        "//",
        "/..",
        ";x",
        "/a@b:c",
    ];
}
