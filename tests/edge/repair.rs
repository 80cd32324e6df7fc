//! The venues and organizers that the edge repairs, among the recorded requests, and the site's responses to them.

use calendar_edge_core::settings::Settings;
use calendar_edge_judge::call::Outcome;

use crate::judging::{Edge, Request, settings, well_formed};

/// The body that is forwarded, where the request is.
fn forwarded(edge: &Edge, request: &Request) -> Option<String> {
    match edge.outcome(request) {
        Outcome::Forward(call) => {
            let body = call.request().body.clone()?;
            Some(String::from_utf8(body.to_vec()).expect("JSON is UTF-8"))
        }
        Outcome::Refuse(_) => None,
    }
}

/// Every request whose meaning `repair` changes is one that the site refused with 400: without it the site's own
/// response comes back, and nothing that the site accepts depends on it.
#[test]
fn only_what_the_site_refuses_is_repaired() {
    let repairing = Edge::new(&settings());
    let faithful = Edge::new(&Settings {
        repair: false,
        ..settings()
    });
    let mut repaired = Vec::new();
    let mut accepted = Vec::new();
    for (record, request) in well_formed() {
        let (with, without) = (forwarded(&repairing, &request), forwarded(&faithful, &request));
        assert_eq!(with.is_some(), without.is_some(), "{}", record.id);
        if with == without {
            continue;
        }
        let line = format!("{} {} {:?}", record.id, record.response.status, without);
        if record.response.status == 400 {
            repaired.push(line);
        } else {
            accepted.push(line);
        }
    }
    println!("{} repaired:\n{}", repaired.len(), repaired.join("\n"));
    assert!(accepted.is_empty(), "the site accepts:\n{}", accepted.join("\n"));
    assert!(repaired.len() >= 8, "{}", repaired.len());
}
