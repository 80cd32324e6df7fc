//! Searches of texts whose letters are folded to one for each weight.

use calendar_edge_judge::contract::SEARCH_BY_DATE;
use memchr::memmem::Finder;

use super::ask::Ask;
use super::record_copy::RecordCopy;
use crate::facts::RecordFact;

/// The search of a list of events.
pub(super) struct Search {
    /// What title, excerpt or content must have, each.
    wanted: Vec<Finder<'static>>,
    /// What none of them may have.
    unwanted: Vec<Finder<'static>>,
    rank: SearchRank,
}

/// How events of one start are sorted.
enum SearchRank {
    /// By nothing: the plugin drops what WordPress says.
    Dropped,
    /// Those whose title has it come first.
    Title(Finder<'static>),
    /// By the cases of several words, the worst first.
    Cases {
        sentence: Option<Finder<'static>>,
        words: bool,
    },
}

/// From so many words on, a search is one sentence.
const MOST_WORDS: usize = 9;

// === impl Search ===

impl Search {
    pub(super) fn of(copy: &RecordCopy, text: &str) -> Result<Self, Ask> {
        if text.contains('\\') || text.chars().any(char::is_control) {
            return Err(Ask::Value);
        }
        let tokens = tokens(text);
        let mut terms: Vec<&str> = tokens
            .iter()
            .filter_map(|token| term(token, &copy.site.stopwords))
            .collect();
        if terms.is_empty() || terms.len() > MOST_WORDS {
            terms = vec![text];
        }
        let (mut wanted, mut unwanted) = (Vec::new(), Vec::new());
        for term in terms {
            match term.strip_prefix('-') {
                Some(term) => unwanted.push(copy.finder(term)?),
                None => wanted.push(copy.finder(term)?),
            }
        }
        let rank = if wanted.is_empty() || copy.has(&SEARCH_BY_DATE)? {
            SearchRank::Dropped
        } else if text.contains(',') {
            // The plugin splits the order at commas.
            return Err(Ask::Value);
        } else if tokens.len() <= 1 {
            SearchRank::Title(wanted.first().cloned().ok_or(Ask::Value)?)
        } else {
            let has_unwanted =
                text.starts_with('-') || text.split(char::is_whitespace).any(|word| word.starts_with('-'));
            let sentence = (!has_unwanted).then(|| copy.finder(text)).transpose()?;
            SearchRank::Cases {
                words: wanted.len() < 7,
                sentence,
            }
        };
        Ok(Self {
            wanted,
            unwanted,
            rank,
        })
    }

    /// Whether a record is found. The text of a protected one is not searched.
    pub(super) fn finds(&self, record: &RecordFact) -> bool {
        let has = |finder: &Finder<'_>| record.texts.iter().flatten().any(|text| finds(finder, text));
        !record.password && self.wanted.iter().all(has) && !self.unwanted.iter().any(has)
    }

    /// The rank of a found record among those that start with it.
    pub(super) fn rank(&self, record: &RecordFact) -> u8 {
        let text = |place: usize| {
            record
                .texts
                .as_ref()
                .and_then(|texts| texts.get(place))
                .map_or("", String::as_str)
        };
        let in_title = |finder: &Finder<'_>| finds(finder, text(0));
        match &self.rank {
            SearchRank::Dropped => 0,
            SearchRank::Title(finder) => u8::from(!in_title(finder)),
            SearchRank::Cases { sentence, words } => {
                let in_text = |place| sentence.as_ref().is_some_and(|finder| finds(finder, text(place)));
                let cases = [
                    in_text(0),
                    *words && self.wanted.iter().all(in_title),
                    *words && self.wanted.iter().any(in_title),
                    in_text(1),
                    in_text(2),
                ];
                let case = cases.iter().position(|holds| *holds).unwrap_or(cases.len());
                u8::try_from(cases.len() - case).unwrap_or(0)
            }
        }
    }
}

// === impl RecordCopy ===

impl RecordCopy {
    /// Folds a text to one letter for each weight.
    pub(super) fn folded(&self, text: &str) -> Result<String, Ask> {
        if self.site.collation.is_empty() {
            return Err(Ask::Letter);
        }
        let mut folded = String::with_capacity(text.len());
        for letter in text.chars() {
            match self.site.fold.get(&letter) {
                Some(other) if !other.is_empty() => folded.push_str(other),
                _ => return Err(Ask::Letter),
            }
        }
        Ok(folded)
    }

    /// What finds a text in folded ones.
    pub(super) fn finder(&self, text: &str) -> Result<Finder<'static>, Ask> {
        Ok(Finder::new(self.folded(text)?.as_bytes()).into_owned())
    }
}

pub(super) fn finds(finder: &Finder<'_>, text: &str) -> bool {
    finder.find(text.as_bytes()).is_some()
}

/// The words and quoted parts of a search, in WordPress's pattern.
fn tokens(text: &str) -> Vec<&str> {
    let separates = |letter: char| matches!(letter, '\t' | ' ' | '"' | ',' | '+');
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if first == '"' {
            rest.get(1..)
                .and_then(|inner| inner.find('"'))
                .map_or(rest.len(), |at| at + 2)
        } else if separates(first) {
            rest = rest.get(1..).unwrap_or_default();
            continue;
        } else {
            rest.find(separates).unwrap_or(rest.len())
        };
        let (token, behind) = rest.split_at(length);
        tokens.push(token);
        rest = behind;
    }
    tokens
}

/// What is searched for a part; none for single letters and words that say little.
fn term<'a>(token: &'a str, stopwords: &[String]) -> Option<&'a str> {
    let is_quoted = token.len() > 2 && token.starts_with('"') && token.ends_with('"');
    let term = if is_quoted {
        token.trim_matches(['"', '\''])
    } else {
        token.trim_matches(['"', '\'', ' '])
    };
    let is_letter = term.len() == 1
        && term
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic() || byte == b'-');
    let is_stopword = || stopwords.contains(&term.to_lowercase());
    (!term.is_empty() && term != "0" && !is_letter && !is_stopword()).then_some(term)
}
