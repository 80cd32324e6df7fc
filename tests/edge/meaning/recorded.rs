//! Meaning preserved for every forwarded recorded request, and invariants of forwarded requests.

use std::collections::BTreeMap;

use calendar_edge_core::settings::Mode;
use calendar_edge_judge::call::{CanonicalRequest, Outcome};
use http::Method;

use super::change::{Change, changes};
use super::wire;
use crate::judging::{Edge, NAMESPACE, Request, settings, well_formed};

#[test]
fn recorded_requests_keep_their_meaning() {
    let mut unjudging = settings();
    unjudging.mode = Mode::Off;
    for settings in [settings(), unjudging] {
        let edge = Edge::new(&settings);
        let mut counts: BTreeMap<Change, usize> = BTreeMap::new();
        let (mut forwarded, mut unchanged) = (0, 0);
        let mut unexplained = Vec::new();
        for (record, request) in well_formed() {
            let Some(found) = preserved(&edge, &request) else {
                continue;
            };
            forwarded += 1;
            match found {
                Ok(found) => {
                    unchanged += usize::from(found.is_empty());
                    for change in found {
                        *counts.entry(change).or_default() += 1;
                    }
                }
                Err(why) => unexplained.push(format!("{}: {why}", record.id)),
            }
        }
        println!(
            "mode {:?}: {forwarded} forwarded, {unchanged} unchanged, {counts:?}",
            settings.mode
        );
        assert!(unexplained.is_empty(), "{}", unexplained.join("\n"));
        assert!(forwarded > 1300, "{forwarded}");
    }
}

/// The comparison of meanings for a forwarded request; none if it is refused.
pub(super) fn preserved(edge: &Edge, request: &Request) -> Option<Result<Vec<Change>, String>> {
    let Outcome::Forward(call) = edge.outcome(request) else {
        return None;
    };
    let canonical = call.request();
    Some(
        is_clean(canonical)
            .and_then(|()| is_settled(edge, request, canonical))
            .and_then(|()| match call.operation() {
                Some(operation) => {
                    changes(request, operation, canonical).map(|found| found.into_iter().collect())
                }
                None => Ok(Vec::new()),
            }),
    )
}

/// A forwarded request contains no override, in any spelling.
fn is_clean(canonical: &CanonicalRequest) -> Result<(), String> {
    let query = canonical.query(NAMESPACE).unwrap_or_default();
    let names = query
        .split('&')
        .map(|pair| pair.split(['=', '%']).next().unwrap_or_default());
    for name in names {
        if ["rest_route", "_method", "_wpnonce"].contains(&name) {
            return Err(format!("{name} is forwarded"));
        }
        if !query.is_empty()
            && !name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        {
            return Err(format!("{name} is no plain name"));
        }
    }
    let methods = [
        Method::GET,
        Method::HEAD,
        Method::POST,
        Method::DELETE,
        Method::OPTIONS,
    ];
    let has_body = canonical.body.is_some();
    if !methods.contains(&canonical.method) || has_body != (canonical.method == Method::POST) {
        return Err(format!("{} with body {has_body}", canonical.method));
    }
    Ok(())
}

/// A forwarded request, judged again, is forwarded unchanged.
fn is_settled(edge: &Edge, client: &Request, canonical: &CanonicalRequest) -> Result<(), String> {
    let again = wire::forwarded(canonical, &client.headers);
    match edge.outcome(&again) {
        Outcome::Forward(call) => {
            let expected = CanonicalRequest {
                nonce: None,
                ..canonical.clone()
            };
            if *call.request() == expected {
                Ok(())
            } else {
                Err(format!(
                    "not settled: {expected:?}\n  becomes {:?}",
                    call.request()
                ))
            }
        }
        Outcome::Refuse(refusal) => Err(format!(
            "refused the second time: {canonical:?}\n  {}",
            String::from_utf8_lossy(refusal.body())
        )),
    }
}
