//! Answers targets as the copy does: reads a file of replies of the companion plugin, then from its input lines of a target
//! and, behind a tab, a file with the body that the site gave.
//!
//! Writes a line for each: `ask REASON SHAPE`, `none`, or `STATUS TOTAL PAGES SAME TIED SHAPE` and the body in the next line.

use std::collections::HashMap;
use std::io::{BufRead as _, Write as _};
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use calendar_edge_core::cache::{CachePolicy, same_text};
use calendar_edge_core::copy::{CopyQuestion, RecordCopy};
use calendar_edge_core::facts::FactsReply;
use calendar_edge_core::settings::Settings;
use calendar_edge_core::unix_time::UnixTime;
use calendar_edge_judge::call::credentials::Credentials;
use calendar_edge_judge::call::{ForwardableCall, Judge, Outcome, RawCall};
use calendar_edge_judge::policy::Policy;
use calendar_edge_judge::routing::{Roots, Target};
use calendar_edge_judge::wordpress::payload::ContentHeaders;
use http::{HeaderMap, Method};

type Fault = Box<dyn std::error::Error>;

fn main() -> Result<(), Fault> {
    let path = std::env::args().nth(1).ok_or("the file of replies")?;
    let replies: Vec<Box<serde_json::value::RawValue>> = serde_json::from_slice(&std::fs::read(path)?)?;
    let (mut site, mut records, mut fold) = (None, Vec::new(), HashMap::new());
    for reply in replies {
        let reply = FactsReply::parse(reply.get().as_bytes())?;
        site = reply.copy.or(site);
        fold.extend(reply.fold);
        records.extend(reply.records.into_iter().flatten().map(Arc::new));
    }
    let begun = Instant::now();
    let mut site = site.ok_or("no reply has the site")?;
    site.fold.extend(fold);
    let copy = RecordCopy::new(Arc::new(site), records);
    writeln!(std::io::stderr(), "arranged in {:?}", begun.elapsed())?;
    let policy = Policy::default();
    let (roots, judge) = (Roots::new(&policy), Judge::new(policy));
    let cache = CachePolicy::new(&Settings::for_origin("https://example.org/wp-json".parse()?));
    let mut out = std::io::stdout().lock();
    for target in std::io::stdin().lock().lines() {
        answer(&target?, &copy, (&roots, &judge, &cache), &mut out)?;
        out.flush()?;
    }
    Ok(())
}

fn answer(
    target: &str,
    copy: &RecordCopy,
    (roots, judge, cache): (&Roots, &Judge, &CachePolicy),
    out: &mut impl std::io::Write,
) -> Result<(), Fault> {
    let (target, body) = target.split_once('\t').unwrap_or((target, ""));
    let Some(call) = judged(target, roots, judge) else {
        return Ok(writeln!(out, "none refused")?);
    };
    let question = cache.judge(&call).and_then(Result::ok).and_then(CopyQuestion::of);
    let Some(question) = question else {
        return Ok(writeln!(out, "none uncopied")?);
    };
    let shape = question.shape().map_or("-".to_owned(), ToString::to_string);
    let now = UnixTime::after_epoch(SystemTime::now().duration_since(UNIX_EPOCH)?);
    match copy.respond(&question, now) {
        Err(ask) => writeln!(out, "ask {} {shape}", ask.name())?,
        Ok(response) => {
            let (total, pages) = response
                .totals
                .map_or(("-".to_owned(), "-".to_owned()), |(total, pages)| {
                    (total.to_string(), pages.to_string())
                });
            let status = response.status.as_u16();
            let same = match same_text(&std::fs::read(body).unwrap_or_default(), &response.body) {
                Some(folded) if folded.any() => "folded",
                Some(_) => "equal",
                None => "differs",
            };
            writeln!(
                out,
                "{status} {total} {pages} {same} {} {shape}",
                response.is_tied
            )?;
            out.write_all(&response.body)?;
            writeln!(out)?;
        }
    }
    Ok(())
}

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
