//! The forms of texts for protection: image hosts, accounts, rates.

use std::ops::RangeInclusive;
use std::time::Duration;

use url::Host;

use super::quantity::duration;
use super::text_form::{TextError, TypedSyntax};
use crate::settings::{ImageHost, Rate};

pub(crate) const IMAGE_HOST: TypedSyntax<ImageHost> = TypedSyntax::new(
    "host name",
    "a host name, with a wildcard or a port if needed",
    &["img.example.org", "*.example.org", "img.example.org:8443"],
    image_host,
);

pub(crate) const ACCOUNT: TypedSyntax<String> = TypedSyntax::new(
    "account name",
    "the user name of a WordPress account",
    &["editor", "jane@example.org"],
    account,
);

/// Maximum number of requests of a rate.
const MOST_REQUESTS: u32 = 1_000_000;

/// Maximum bytes of an account name; WordPress allows names of 60 and e-mail addresses of 100 characters.
const LONGEST_NAME: usize = 400;

/// Valid periods of a rate.
const PERIODS: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_hours(24);

/// Reads an image host: a name, not an IP address, with an optional wildcard before and port behind it.
fn image_host(text: &str) -> Result<ImageHost, TextError> {
    let (below, rest) = match text.strip_prefix("*.") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (name, port) = match rest.rsplit_once(':') {
        Some((name, port)) => (name, Some(port.parse().map_err(|_| TextError::Malformed)?)),
        None => (rest, None),
    };
    match Host::parse(name) {
        Ok(Host::Domain(name)) if !name.contains('*') => Ok(ImageHost { name, below, port }),
        _ => Err(TextError::Malformed),
    }
}

/// Reads the name of an account, as far as Basic credentials can contain it.
fn account(text: &str) -> Result<String, TextError> {
    let is_plain = !text.is_empty() && text.trim() == text && text.len() <= LONGEST_NAME;
    if is_plain && !text.contains(|letter: char| letter == ':' || letter.is_control()) {
        return Ok(text.to_owned());
    }
    Err(TextError::Malformed)
}

/// Reads a rate: `60/1m`.
pub fn rate(text: &str) -> Option<Rate> {
    let (requests, period) = text.split_once('/')?;
    let is_number = requests.bytes().all(|byte| byte.is_ascii_digit());
    let requests = requests.trim_start_matches('0').parse::<u32>().ok();
    let requests = requests.filter(|count| is_number && *count <= MOST_REQUESTS);
    let period = duration(period).filter(|period| PERIODS.contains(period));
    requests
        .zip(period)
        .map(|(requests, period)| Rate { requests, period })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_images_are_names() {
        let host = image_host("*.Example.org:8443").expect("a host");
        assert_eq!(
            (host.name.as_str(), host.below, host.port),
            ("example.org", true, Some(8443))
        );
        for bad in [
            "",
            "*",
            "*.",
            "*.*.a",
            "127.0.0.1",
            "[::1]",
            "::1",
            "a:0x1",
            "a:99999",
            "https://a",
            "a/b",
            "u@a",
        ] {
            assert!(image_host(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn account_names_fit_basic_credentials() {
        for good in ["editor", "Jane Doe", "jane@example.org", "m\u{fc}ller"] {
            assert!(account(good).is_ok(), "{good}");
        }
        for bad in ["", " ", "a:b", " a", "a\n", "a\0"] {
            assert!(account(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn rates_are_requests_in_a_time() {
        let minute = rate("60/1m").expect("a rate");
        assert_eq!((minute.requests, minute.period), (60, Duration::from_mins(1)));
        for bad in [
            "",
            "60",
            "60/",
            "/1m",
            "0/1m",
            "60/1",
            "-1/1m",
            "+1/1m",
            "1/0s",
            "1/25h",
            "1/500ms",
            "9999999/1s",
        ] {
            assert!(rate(bad).is_none(), "{bad}");
        }
    }
}
