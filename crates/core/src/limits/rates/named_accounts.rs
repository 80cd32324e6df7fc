//! Settings that go by account names need Basic credentials that every server reads alike.

use crate::settings::{CallRates, RateLimits};

/// True where logins or credentials have a rate, or only listed accounts write: then Basic credentials must name their
/// account exactly.
pub fn needs_names(limits: &RateLimits, writers: &[String]) -> bool {
    limits.failed_logins.is_some() || limits.credentials != CallRates::default() || !writers.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Profile, Rate, Settings};
    use calendar_edge_judge::call::credentials::Credentials;
    use http::header::AUTHORIZATION;
    use http::{HeaderMap, HeaderValue};
    use std::time::Duration;

    fn is_refused(change: impl FnOnce(&mut Settings), value: &'static str) -> bool {
        let mut settings = Settings::for_origin("http://wp.example/wp-json".parse().unwrap());
        change(&mut settings);
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, HeaderValue::from_static(value));
        let credentials = Credentials::read(&headers, Profile::Compatible).unwrap();
        needs_names(&settings.rate_limits, &settings.writers) && credentials.identity().is_inexact
    }

    #[test]
    fn exact_basic_credentials_are_needed_where_names_count() {
        const RATE: Rate = Rate {
            requests: 1,
            period: Duration::from_secs(1),
        };
        let changes: [fn(&mut Settings); 4] = [
            |settings| settings.writers = vec!["alice".to_owned()],
            |settings| settings.rate_limits.failed_logins = Some(RATE),
            |settings| settings.rate_limits.credentials.lists = Some(RATE),
            |settings| settings.rate_limits.credentials.writes = Some(RATE),
        ];
        for change in changes {
            assert!(is_refused(change, "Basic  YTpi"));
            assert!(!is_refused(change, "Basic YTpi"));
            assert!(!is_refused(change, "Bearer  YTpi"));
        }
        assert!(!is_refused(|_| {}, "Basic  YTpi"));
        let by_address: fn(&mut Settings) = |settings| settings.rate_limits.address.lists = Some(RATE);
        assert!(!is_refused(by_address, "Basic !!"));
    }
}
