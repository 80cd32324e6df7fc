//! The texts that settings of protection are made of: hosts of images, rates.

use std::ops::RangeInclusive;
use std::time::Duration;

use url::Host;

use super::key::{Form, Refusal};
use super::protection::{ImageHost, Rate};
use super::quantity::duration;

pub(super) static IMAGE_HOST: Form = Form::new(
    "host name",
    "a host name, like \"img.example.org\", \"*.example.org\" or \"img.example.org:8443\"",
);
pub(super) static RATE: Form = Form::new(
    "rate",
    "requests in a time from a second to a day, like \"60/1m\" or \"1000/24h\"",
);

pub(super) static ACCOUNT: Form = Form::new(
    "account name",
    "an account name as WordPress has it, like \"editor\" or \"jane@example.org\"",
);

pub(super) static SCHEME: Form = Form::new(
    "scheme",
    "a scheme of HTTP authentication, like \"Basic\" or \"Bearer\"",
);

/// The most requests a rate can have.
const MOST_REQUESTS: u32 = 1_000_000;

/// The longest account name, in bytes; WordPress takes 60 characters, and addresses of 100.
const LONGEST_NAME: usize = 400;

/// The periods a rate can have.
const PERIODS: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_hours(24);

/// Reads a host of images: a name and no address, perhaps with a star before it and a port behind.
pub(super) fn image_host(text: &str) -> Result<ImageHost, Refusal> {
    let (below, rest) = match text.strip_prefix("*.") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (name, port) = match rest.rsplit_once(':') {
        Some((name, port)) => (name, Some(port.parse().map_err(|_| Refusal::Malformed)?)),
        None => (rest, None),
    };
    match Host::parse(name) {
        Ok(Host::Domain(name)) if !name.contains('*') => Ok(ImageHost { name, below, port }),
        _ => Err(Refusal::Malformed),
    }
}

/// Reads the name of an account: what Basic credentials can name.
pub(super) fn account(text: &str) -> Result<String, Refusal> {
    let is_plain = !text.is_empty() && text.trim() == text && text.len() <= LONGEST_NAME;
    if is_plain && !text.contains(|letter: char| letter == ':' || letter.is_control()) {
        return Ok(text.to_owned());
    }
    Err(Refusal::Malformed)
}

/// Reads a scheme of HTTP authentication: a token (RFC 9110 section 11.1).
pub(super) fn scheme(text: &str) -> Result<String, Refusal> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'+');
    if text.is_empty() || !text.bytes().all(plain) {
        return Err(Refusal::Malformed);
    }
    Ok(text.to_owned())
}

/// Reads a rate: `60/1m`.
pub(super) fn rate(text: &str) -> Result<Rate, Refusal> {
    let (requests, period) = text.split_once('/').ok_or(Refusal::Malformed)?;
    let is_number = requests.bytes().all(|byte| byte.is_ascii_digit());
    let requests = requests.trim_start_matches('0').parse::<u32>().ok();
    let requests = requests.filter(|count| is_number && *count <= MOST_REQUESTS);
    let period = duration(period).filter(|period| PERIODS.contains(period));
    match (requests, period) {
        (Some(requests), Some(period)) => Ok(Rate { requests, period }),
        _ => Err(Refusal::Malformed),
    }
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
            assert!(rate(bad).is_err(), "{bad}");
        }
    }
}
