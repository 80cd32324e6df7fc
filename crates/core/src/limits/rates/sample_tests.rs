//! Rates, clients and budgets for the tests of this folder.

use std::time::Duration;

use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue};

use super::budgets::Budgets;
use super::shared_buckets::SharedBuckets;
use crate::settings::{Profile, Rate, RateLimits};
use calendar_edge_judge::call::credentials::{Credentials, Identity};

pub(super) fn rate(requests: u32) -> Rate {
    Rate {
        requests,
        period: Duration::from_mins(1),
    }
}

pub(super) fn identity(authorization: Option<&'static str>) -> Identity {
    let value = authorization.map(|value| (AUTHORIZATION, HeaderValue::from_static(value)));
    let headers: HeaderMap = value.into_iter().collect();
    let credentials = Credentials::read(&headers, Profile::Compatible).unwrap();
    credentials.identity().clone()
}

pub(super) fn budgets(change: impl FnOnce(&mut RateLimits)) -> Budgets {
    let mut limits = RateLimits::default();
    change(&mut limits);
    Budgets::new(&limits, &SharedBuckets::new(None))
}
