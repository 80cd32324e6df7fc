//! The piece of a date that begins at a position: the longest match of any form, as in PHP's scanner.

use std::sync::LazyLock;

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::util::pool::Pool;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind};

use super::token::Form;
use super::vocabulary::FRAGMENTS;
use super::{clock, date, moment, relative, zone};

/// All forms, in order: of equally long matches the first one counts.
fn forms() -> impl Iterator<Item = &'static Form> {
    relative::FORMS
        .iter()
        .chain(clock::FORMS)
        .chain(moment::FORMS)
        .chain(date::FORMS)
        .chain([&clock::LONE_YEAR])
        .chain(zone::FORMS)
}

/// One automaton for all forms, whose states are built when a text reaches them. It reads each byte once, so no text
/// causes exponential time.
static SCANNER: LazyLock<DFA> = LazyLock::new(|| {
    let patterns: Vec<String> = forms().map(|(pattern, _)| expanded(pattern)).collect();
    DFA::builder()
        .configure(DFA::config().match_kind(MatchKind::All))
        .syntax(syntax::Config::new().unicode(false).utf8(false))
        .build_many(&patterns)
        .expect("the patterns of dates are constants")
});

/// The states built so far; each thread that reads a date takes one of them.
static STATES: LazyLock<Pool<Cache>> = LazyLock::new(|| Pool::new(|| SCANNER.create_cache()));

/// A pattern without names of fragments.
fn expanded(pattern: &str) -> String {
    FRAGMENTS
        .iter()
        .rev()
        .fold(pattern.to_owned(), |pattern, (name, meaning)| {
            pattern.replace(&format!("{{{name}}}"), &format!("({meaning})"))
        })
}

/// The form with the longest match at `start`, and the end of that match.
pub(super) fn longest(text: &[u8], start: usize) -> Option<(&'static Form, usize)> {
    let input = Input::new(text).range(start..).anchored(Anchored::Yes);
    let found = SCANNER.try_search_fwd(&mut STATES.get(), &input).ok()??;
    Some((forms().nth(found.pattern().as_usize())?, found.offset()))
}
