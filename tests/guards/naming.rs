//! One name, one thing: a word that means two things costs every reader a second look.

use std::collections::{BTreeMap, BTreeSet};

use crate::architecture::literals;
use crate::repository::{read, texts};

/// Type names that stand in several files, each with the reason.
const ALLOWED: &[(&str, &str)] = &[];

/// Words that were replaced, each with what is said instead.
const REPLACED: &[(&str, &str)] = &[
    ("correspondence", "the companion service"),
    ("flights", "collapsed requests, with a leader and followers"),
    ("forking", "the selection of a backend"),
    ("hearing", "the state of a companion"),
    ("landing", "the shared outcome of collapsed requests"),
    ("ledger", "a budget's state; a tracker of changes"),
    ("lent", "shared"),
    ("loan", "a shared body"),
    ("loans", "shared bodies"),
    ("receipt", "charges"),
    ("refund", "to return charges"),
    ("rehearsal", "a dry run"),
    ("rehearsed", "a dry run"),
    ("seat", "the role in a collapsed request; the state of a rule"),
    ("spared", "excluded"),
    ("theatre", "the words of RFC 9110 and RFC 9111"),
];

/// Words of programming and of HTTP that end type names of several rooms and need no row in the glossary.
const PLAIN: &[&str] = &[
    "address",
    "at",
    "body",
    "by",
    "bytes",
    "cause",
    "class",
    "client",
    "config",
    "connection",
    "context",
    "counts",
    "end",
    "entry",
    "error",
    "event",
    "facts",
    "failure",
    "fault",
    "file",
    "guard",
    "header",
    "host",
    "id",
    "key",
    "kind",
    "limit",
    "line",
    "log",
    "member",
    "message",
    "name",
    "number",
    "page",
    "parameter",
    "part",
    "path",
    "piece",
    "place",
    "position",
    "progress",
    "read",
    "reader",
    "reading",
    "report",
    "request",
    "response",
    "result",
    "row",
    "rule",
    "scan",
    "slot",
    "source",
    "start",
    "state",
    "status",
    "step",
    "subject",
    "summary",
    "table",
    "text",
    "time",
    "token",
    "turn",
    "use",
    "value",
    "version",
    "watch",
    "writer",
];

/// Nouns whose types stand in some rooms alone.
const OWN_ROOMS: &[(&str, &[&str])] = &[
    ("candidate", &["relay", "survey"]),
    ("follower", &["cache"]),
    ("form", &["wordpress"]),
    ("leader", &["cache"]),
    ("standing", &["companion", "contract", "call", "fleet"]),
];

/// A word that ends type names of so many rooms has one meaning for all of them, or is replaced.
const SEVERAL: usize = 3;

/// Where the sources of each package are.
const SOURCES: [&str; 3] = ["src", "crates/core/src", "crates/judge/src"];

/// Every source file with its text.
fn sources() -> impl Iterator<Item = (String, String)> {
    SOURCES.iter().flat_map(|source| texts(source, "rs"))
}

// === types ===

#[test]
fn no_type_name_stands_twice_without_a_reason() {
    let twins: BTreeMap<String, Vec<String>> =
        types().into_iter().filter(|(_, files)| files.len() > 1).collect();
    let allowed: BTreeSet<&str> = ALLOWED.iter().map(|(name, _)| *name).collect();
    let new: Vec<_> = twins
        .iter()
        .filter(|(name, _)| !allowed.contains(name.as_str()))
        .collect();
    assert!(new.is_empty(), "types of one name: {new:#?}");
    let stale: Vec<_> = allowed
        .iter()
        .filter(|name| !twins.contains_key(**name))
        .collect();
    assert!(stale.is_empty(), "no longer twins: {stale:?}");
}

/// The files in which each type name is defined, unit tests left out.
fn types() -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, text) in sources() {
        for defined in text.lines().filter_map(defined_type) {
            let files = found.entry(defined.to_owned()).or_default();
            files.push(name.clone());
        }
    }
    found
}

/// The name of the type that a line at the top level of a file defines.
fn defined_type(line: &str) -> Option<&str> {
    const VISIBILITIES: [&str; 3] = ["pub(crate) ", "pub(super) ", "pub "];
    let unqualified = VISIBILITIES
        .iter()
        .find_map(|visibility| line.strip_prefix(visibility))
        .unwrap_or(line);
    let rest = ["struct ", "enum ", "trait ", "type "]
        .iter()
        .find_map(|keyword| unqualified.strip_prefix(keyword))?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    rest.get(..end)
}

// === nouns ===

/// The nouns of the glossary.
fn glossary(document: &str) -> BTreeSet<&str> {
    let rows = document.lines().filter_map(|line| line.strip_prefix("| "));
    let cells = rows.filter_map(|row| Some(row.split_once(" | ")?.0));
    cells.filter(|noun| *noun != "Noun").collect()
}

/// The last word of a type name, in the singular if that is a last word as well.
fn ending<'a>(name: &str, endings: &'a BTreeSet<String>) -> Option<&'a str> {
    let word = words(name).last()?;
    let singular = [("ies", "y"), ("ses", "s"), ("s", "")]
        .iter()
        .filter_map(|(plural, singular)| Some(word.strip_suffix(plural)?.to_owned() + singular))
        .find_map(|singular| endings.get(&singular));
    singular.or_else(|| endings.get(&word)).map(String::as_str)
}

/// The folder below a package's sources, or the file beside them. Rooms of one name are one.
fn room(path: &str) -> Option<&str> {
    let below = SOURCES
        .iter()
        .find_map(|source| path.strip_prefix(source)?.strip_prefix('/'))?;
    let mut segments = below.split(['/', '.']);
    let first = segments.next();
    // The settings of a subject are settings.
    segments.find(|segment| *segment == "settings").or(first)
}

#[test]
fn nouns_have_one_meaning() {
    let document = read("docs/reference/glossary.md");
    let (glossary, types) = (glossary(&document), types());
    let endings: BTreeSet<String> = types.keys().filter_map(|name| words(name).last()).collect();
    let mut rooms: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
    for (name, files) in &types {
        let noun = ending(name, &endings).expect("each name has an ending");
        for room in files.iter().filter_map(|file| room(file)) {
            rooms.entry(noun).or_default().insert(room, name);
        }
    }
    for (noun, rooms) in &rooms {
        let is_known = glossary.contains(noun) || PLAIN.contains(noun);
        assert!(
            is_known || rooms.len() < SEVERAL,
            "`{noun}` is in no glossary: {rooms:?}"
        );
        let own = OWN_ROOMS.iter().find(|(own, _)| own == noun);
        let elsewhere = rooms
            .iter()
            .find(|(room, _)| own.is_some_and(|(_, own)| !own.contains(*room)));
        assert!(
            elsewhere.is_none(),
            "`{noun}` means something else here: {elsewhere:?}"
        );
    }
    let twice: Vec<_> = PLAIN.iter().filter(|word| glossary.contains(*word)).collect();
    assert!(twice.is_empty(), "in the glossary and beside it: {twice:?}");
    assert!(
        OWN_ROOMS.iter().all(|(noun, _)| glossary.contains(noun)),
        "{glossary:?}"
    );
    assert!(
        (40..=50).contains(&glossary.len()),
        "about forty-five nouns: {}",
        glossary.len()
    );
}

// === speech ===

/// Where no name, no message and no opening of a comment uses the words of speech.
const WITHOUT_SPEECH: [&str; 4] = [
    "crates/core/src",
    "crates/judge/src",
    "crates/calendar/src",
    "src",
];

/// Words of speech: HTTP requests and responds, documents contain, rules apply.
const SPEECH: &[&str] = &[
    "answer",
    "answered",
    "answering",
    "answers",
    "anybody",
    "ask",
    "asked",
    "asking",
    "asks",
    "everybody",
    "farewell",
    "hear",
    "heard",
    "hearing",
    "hears",
    "knew",
    "knows",
    "meets",
    "news",
    "nobody",
    "obey",
    "obeyed",
    "obeys",
    "question",
    "questions",
    "said",
    "saying",
    "says",
    "somebody",
    "speaks",
    "talk",
    "talks",
    "tell",
    "telling",
    "tells",
    "told",
    "unanswered",
    "unasked",
    "unheard",
    "untold",
    "who",
    "whom",
];

/// Names that keep such a word, each with the reason.
const NAMED_ALIKE: &[(&str, &str)] = &[
    ("ANSWERS", "the form of the key `answers`"),
    ("answer", "a key of `[[surface]]`"),
    ("answers", "a key of the configuration"),
];

/// Parts of messages that keep such a word, each with the reason.
const IN_MESSAGES: &[(&str, &str)] = &[
    ("anybody ", "a line of the list that the companion plugin reads"),
    (", nobody ", "a line of the list that the companion plugin reads"),
    ("`answers`", "a key of the configuration"),
    ("roots.answers:", "a key that the configuration had"),
    (
        " answers=",
        "a part of the cache key, named like the key of the configuration",
    ),
    ("\"anybody\\\"", "a value of `callers`"),
    ("operators who", "people"),
    ("the operator", "people"),
];

/// Words with which a comment does not open: a noun says what is there.
const OPENINGS: &[&str] = &[
    "How", "Nobody", "Somebody", "What", "Whether", "Who", "Whom", "Whose", "Why",
];

fn without_speech() -> impl Iterator<Item = (String, String)> {
    WITHOUT_SPEECH.iter().flat_map(|source| texts(source, "rs"))
}

fn is_speech(word: &str) -> bool {
    SPEECH.contains(&word)
}

/// The public name that a line defines: of an item, or of a field.
fn public_name(line: &str) -> Option<&str> {
    const KEYWORDS: [&str; 9] = [
        "async", "const", "enum", "fn", "mod", "static", "struct", "trait", "type",
    ];
    let rest = line.trim_start().strip_prefix("pub")?;
    let rest = match rest.strip_prefix('(') {
        Some(scope) => scope.split_once(')')?.1,
        None => rest,
    };
    let mut names = rest
        .strip_prefix(' ')?
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    names.find(|name| !name.is_empty() && !KEYWORDS.contains(name))
}

#[test]
fn public_names_are_no_speech() {
    let mut kept: BTreeSet<&str> = BTreeSet::new();
    let mut found = Vec::new();
    for (path, text) in without_speech() {
        let file = path.rsplit('/').next().unwrap_or(&path);
        let names = text.lines().filter_map(public_name).chain([file]);
        for name in names.filter(|name| words(name).any(|word| is_speech(&word))) {
            match NAMED_ALIKE.iter().find(|(allowed, _)| *allowed == name) {
                Some((allowed, _)) => _ = kept.insert(allowed),
                None => found.push(format!("{path}: {name}")),
            }
        }
    }
    assert!(found.is_empty(), "names with words of speech: {found:#?}");
    assert_eq!(kept.len(), NAMED_ALIKE.len(), "no longer names: {kept:?} remain");
}

#[test]
fn messages_are_no_speech() {
    let mut found = Vec::new();
    for (path, text) in without_speech() {
        for literal in literals(&text).into_iter().filter(|text| text.contains(' ')) {
            // Text in braces is a name of the code.
            let fixed: String = literal
                .split('{')
                .map(|part| part.split_once('}').map_or(part, |(_, rest)| rest))
                .collect();
            let kept = IN_MESSAGES
                .iter()
                .fold(fixed, |text, (part, _)| text.replace(part, " "));
            let spoken = kept.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            let spoken: Vec<_> = spoken.filter(|word| is_speech(word)).collect();
            if !spoken.is_empty() {
                found.push(format!("{path}: {spoken:?} in {literal:?}"));
            }
        }
    }
    assert!(found.is_empty(), "messages with words of speech: {found:#?}");
}

#[test]
fn comments_open_with_nouns() {
    let mut found = Vec::new();
    for (path, text) in without_speech() {
        let mut before = "";
        for (number, line) in text.lines().enumerate() {
            let comment = line
                .trim_start()
                .strip_prefix("//")
                .map_or("", |text| text.trim_start_matches(['/', '!']).trim_start());
            let opens = before.is_empty() || before.ends_with(['.', ':']);
            let first = comment.split(|letter: char| !letter.is_alphanumeric()).next();
            if opens && first.is_some_and(|word| OPENINGS.contains(&word)) {
                found.push(format!("{path}:{}: {comment}", number + 1));
            }
            before = comment;
        }
    }
    assert!(found.is_empty(), "comments that open with no noun: {found:#?}");
}

// === files ===

/// Files that a crate, a module or a subject has by that name.
const OF_SUBJECTS: [&str; 7] = [
    "mod.rs",
    "lib.rs",
    "settings.rs",
    "consistency.rs",
    "checks.rs",
    "metrics.rs",
    "status.rs",
];

#[test]
fn no_file_name_stands_more_than_twice() {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, _) in sources() {
        let name = path.rsplit('/').next().unwrap_or(&path);
        found.entry(name.to_owned()).or_default().push(path);
    }
    found.retain(|name, paths| !OF_SUBJECTS.contains(&name.as_str()) && paths.len() > 2);
    assert!(found.is_empty(), "files of one name: {found:#?}");
}

// === words ===

#[test]
fn replaced_words_do_not_come_back() {
    let mut found: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in sources() {
        let used: BTreeSet<String> = words(&path).chain(words(&text)).collect();
        for (word, _) in REPLACED.iter().filter(|(word, _)| used.contains(*word)) {
            found.entry(word).or_default().insert(path.clone());
        }
    }
    for (word, instead) in REPLACED {
        let files = found.get(word);
        assert!(files.is_none(), "`{word}` is back, say {instead}: {files:#?}");
    }
}

/// The words of a text in lower case, names in `snake_case` and `CamelCase` taken apart.
fn words(text: &str) -> impl Iterator<Item = String> {
    let names = text.split(|letter: char| !letter.is_alphanumeric());
    names.flat_map(|name| {
        let mut words = vec![String::new()];
        let mut after_small = false;
        for letter in name.chars() {
            if letter.is_uppercase() && after_small {
                words.push(String::new());
            }
            after_small = !letter.is_uppercase();
            words
                .last_mut()
                .expect("one at least")
                .extend(letter.to_lowercase());
        }
        words
    })
}

#[test]
fn names_are_taken_apart() {
    let text = "pub struct ReadFlights { url: Url, in_FLIGHT: HTTPLane }";
    let found: Vec<String> = words(text).filter(|word| word.len() > 3).collect();
    assert_eq!(found, ["struct", "read", "flights", "flight", "httplane"]);
}
