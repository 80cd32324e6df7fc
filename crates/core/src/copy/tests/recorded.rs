//! The reads that a real site was seen to answer everybody: how many of them the copy leaves to the site, and why.

use std::collections::BTreeMap;

use calendar_edge_judge::call::credentials::Credentials;
use calendar_edge_judge::call::{ForwardableCall, Judge, Outcome, RawCall};
use calendar_edge_judge::policy::Policy;
use calendar_edge_judge::routing::{Roots, Target};
use calendar_edge_judge::wordpress::payload::ContentHeaders;
use http::HeaderMap;

use super::*;
use crate::cache::CacheableCall;

fn judged(target: &str, roots: &Roots, judge: &Judge) -> Option<ForwardableCall> {
    let (path, query) = target
        .split_once('?')
        .map_or((target, None), |(path, query)| (path, Some(query)));
    let Target::Calendar(target) = roots.locate(&Method::GET, path, query) else {
        return None;
    };
    let (headers, credentials) = (HeaderMap::new(), Credentials::default());
    let call = RawCall {
        method: &Method::GET,
        target: &target,
        credentials: &credentials,
        content: ContentHeaders::of(&headers),
        body: &[],
    };
    match judge.judge(&call).outcome {
        Outcome::Forward(call) => Some(*call),
        Outcome::Refuse(_) => None,
    }
}

/// The targets of reads without credentials, body or headers that change their meaning, and with a response of the site.
fn recorded() -> Vec<String> {
    let corpus = include_str!("../../../../../fixtures/corpus/corpus.jsonl");
    let records = corpus
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let reads = records.filter(|record| {
        let status = record["response"]["status"].as_u64();
        let is_plain = record["request"]["headers"].as_array().is_some_and(Vec::is_empty);
        record["request"]["method"] == "GET"
            && record["auth"] == "none"
            && record["request"]["body"].is_null()
            && is_plain
            && matches!(status, Some(200 | 400 | 403 | 404))
    });
    let target = |record: Value| {
        let path = record["request"]["path"].as_str().unwrap().to_owned();
        let query = record["request"]["query"].as_str();
        query.map_or(path.clone(), |query| [&path, "?", query].concat())
    };
    reads.map(target).collect()
}

#[test]
fn most_recorded_reads_of_everybody_are_not_left_to_the_site() {
    let policy = Policy::default();
    let (roots, judge) = (Roots::new(&policy), Judge::new(policy));
    let mut objections: BTreeMap<Option<Ask>, usize> = BTreeMap::new();
    for target in recorded() {
        let call = judged(&target, &roots, &judge);
        let question = call
            .as_ref()
            .and_then(CacheableCall::of)
            .and_then(CopyQuestion::of);
        if let Some(question) = question {
            *objections.entry(question.objection()).or_default() += 1;
        }
    }
    let reads: usize = objections.values().sum();
    assert!(reads > 500, "{objections:?}");
    assert!(objections[&None] * 100 >= reads * 85, "{objections:?}");
}
