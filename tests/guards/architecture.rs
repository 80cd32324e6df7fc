//! Checks the rules of ARCHITECTURE.md, and the rows of `rooms.tsv`, against the code.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use crate::repository::{read, root, texts};

static DOCUMENT: LazyLock<String> = LazyLock::new(|| read("ARCHITECTURE.md"));

static ROOMS: LazyLock<String> = LazyLock::new(|| read("tests/guards/rooms.tsv"));

/// Maximum lines of a file that is not a table of data, unit tests included.
const LONGEST_FILE: usize = 400;

/// Names that the core must not mention: runtimes, HTTP engines, sockets, clocks.
const MOVING: [&str; 12] = [
    "tokio",
    "hyper",
    "hyper_util",
    "reqwest",
    "tower",
    "TcpStream",
    "TcpListener",
    "UdpSocket",
    "UnixStream",
    "ToSocketAddrs",
    "SystemTime",
    "Instant::now",
];

// === the document ===

/// The crates, from the lowest, each with its folder of sources and its name in paths.
const CRATES: [(&str, &str, &str); 4] = [
    ("judge", "crates/judge/src/", "calendar_edge_judge::"),
    ("core", "crates/core/src/", "calendar_edge_core::"),
    ("calendar", "crates/calendar/src/", "calendar_service::"),
    ("edge", "src/", "calendar_edge::"),
];

/// The crate and the name of a top-level module.
type RoomName = (&'static str, String);

/// The rooms that each room may use.
fn rooms() -> BTreeMap<RoomName, BTreeSet<RoomName>> {
    let listed: Vec<_> = ROOMS
        .lines()
        .skip(1)
        .map(|row| {
            let cells: Vec<&str> = row.split('\t').collect();
            let [of, name, beside, below, what, absent] = cells[..] else {
                panic!("not six columns: {row}");
            };
            assert!(!what.is_empty() && !absent.is_empty(), "{row}");
            ((crate_called(of), name.to_owned()), beside, below)
        })
        .collect();
    let names: Vec<&RoomName> = listed.iter().map(|(name, _, _)| name).collect();
    let below = |of: &RoomName, used: String| {
        let mut found = names.iter().filter(|name| name.0 != of.0 && name.1 == used);
        let name = found
            .next()
            .unwrap_or_else(|| panic!("{used} is no room below {of:?}"));
        assert!(
            rank(name.0) < rank(of.0) && found.next().is_none(),
            "{used} below {of:?}"
        );
        RoomName::clone(name)
    };
    let may_use = |(name, beside, lower): &(RoomName, &str, &str)| {
        let beside = beside.split_whitespace().map(|used| (name.0, used.to_owned()));
        let lower = lower.split_whitespace().map(|used| below(name, used.to_owned()));
        (name.clone(), beside.chain(lower).collect())
    };
    listed.iter().map(may_use).collect()
}

fn crate_called(cell: &str) -> &'static str {
    let mut known = CRATES.iter().map(|(name, _, _)| *name);
    known
        .find(|name| *name == cell)
        .unwrap_or_else(|| panic!("{cell} is no crate"))
}

/// The place of a crate in the order of dependencies.
fn rank(name: &str) -> usize {
    CRATES.iter().position(|known| known.0 == name).expect("a crate")
}

fn data_files() -> BTreeSet<String> {
    rows("| Data file | Why it may be longer |")
        .map(|cells| only(cells[0]))
        .collect()
}

/// The cells of every row below a heading.
fn rows(heading: &str) -> impl Iterator<Item = Vec<&'static str>> {
    let below = DOCUMENT.lines().skip_while(move |line| *line != heading).skip(2);
    below
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
}

fn only(cell: &str) -> String {
    let mut names = quoted(cell);
    let name = names.next().expect("a name in backquotes");
    assert_eq!(names.next(), None, "{cell}");
    name
}

fn quoted(cell: &str) -> impl Iterator<Item = String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned)
}

// === the code ===

/// A source file of the edge or of the calendar service.
struct File {
    /// From the root of the repository: `crates/judge/src/routing/locate.rs`.
    name: String,
    text: String,
}

impl File {
    fn all() -> Vec<Self> {
        let files = CRATES.iter().flat_map(|(_, folder, _)| texts(folder, "rs"));
        files.map(|(name, text)| Self { name, text }).collect()
    }

    /// Its crate, and its path below the sources of that.
    fn split(&self) -> (&'static str, &str) {
        let split =
            |(name, folder, _): &(&'static str, &str, &str)| Some((*name, self.name.strip_prefix(*folder)?));
        CRATES.iter().find_map(split).expect("a folder of sources")
    }

    /// The room it belongs to: a top-level module, or the whole calendar service; none for the roots of crates.
    fn room(&self) -> Option<RoomName> {
        match self.split() {
            ("calendar", _) => Some(("calendar", "calendar".to_owned())),
            ("core", below) if lower_room(below.split('/').skip(1)).is_some() => {
                Some(("core", lower_room(below.split('/').skip(1))?.to_owned()))
            }
            (_, "lib.rs" | "main.rs") => None,
            (name, below) => Some((name, below.split('/').next()?.trim_end_matches(".rs").to_owned())),
        }
    }

    /// The module depth of its items.
    fn depth(&self) -> usize {
        let segments = self.split().1.split('/').count();
        if self.name.ends_with("/mod.rs") {
            segments - 1
        } else {
            segments
        }
    }

    /// The top-level modules it names, tests included.
    fn uses(&self, rooms: &BTreeMap<RoomName, BTreeSet<RoomName>>) -> BTreeSet<RoomName> {
        let code = code(&self.text);
        let own = self.split().0;
        let mut used = BTreeSet::new();
        for (name, _, path) in CRATES {
            used.extend(named_after(&code, path).into_iter().map(|room| (name, room)));
        }
        if own != "calendar" {
            used.extend(named_after(&code, "crate::").into_iter().map(|room| (own, room)));
        }
        // A chain of `super` that leaves the room ends at the crate as well.
        let chain = named_after(&code, &"super::".repeat(self.depth()));
        let chain = chain.into_iter().map(|room| (own, room));
        used.extend(chain.filter(|name| rooms.contains_key(name)));
        used.retain(|(name, _)| *name != "calendar");
        if code.contains("calendar_service") {
            used.insert(("calendar", "calendar".to_owned()));
        }
        if let Some(room) = self.room() {
            used.remove(&room);
        }
        used
    }
}

/// Files of a subject that belong to a lower room, by their names: its settings use no rule of the subject, and its checks
/// of a site are used by the survey only.
const OF_LOWER_ROOMS: [(&str, &str); 2] = [("settings", "settings"), ("checks", "survey")];

/// The room of these segments of a path behind the name of a subject.
fn lower_room<'p>(mut segments: impl Iterator<Item = &'p str>) -> Option<&'static str> {
    segments.find_map(|segment| {
        let mut rooms = OF_LOWER_ROOMS.iter();
        let (_, room) = rooms.find(|(name, _)| segment.trim_end_matches(".rs") == *name)?;
        Some(*room)
    })
}

/// The lower-case names that directly follow a path's start, braces opened.
fn named_after(code: &str, start: &str) -> Vec<String> {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    code.match_indices(start)
        .filter(|(at, _)| !code[..*at].ends_with(|before| is_word(before) || before == ':'))
        .flat_map(|(at, _)| first_segments(&code[at + start.len()..]))
        .filter(|name| name.starts_with(|first: char| first.is_ascii_lowercase()))
        .collect()
}

/// `a::b` names `a`; `{a::b, c::{d, e}}` names `a` and `c`; `a::settings::b` names `settings`.
fn first_segments(path: &str) -> Vec<String> {
    let word = |text: &str| -> String {
        let end = text.find(|character: char| !character.is_alphanumeric() && !"_:".contains(character));
        let mut segments = text[..end.unwrap_or(text.len())].split("::");
        let first = segments.next().unwrap_or_default();
        lower_room(segments).unwrap_or(first).to_owned()
    };
    let Some(group) = path.strip_prefix('{') else {
        return vec![word(path)];
    };
    let mut names = vec![word(group.trim_start())];
    let mut open = 1;
    for (at, character) in group.char_indices() {
        match character {
            '{' => open += 1,
            '}' => open -= 1,
            ',' if open == 1 => names.push(word(group[at + 1..].trim_start())),
            _ => {}
        }
        if open == 0 {
            break;
        }
    }
    names
}

/// The text without comments and without the contents of string literals.
fn code(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let skipped = literal_or_comment(rest);
        if skipped == 0 {
            code.push(first);
            rest = &rest[first.len_utf8()..];
        } else {
            code.push(' ');
            rest = &rest[skipped..];
        }
    }
    code
}

/// The string literals of a text as they stand there, without their quotes.
pub(super) fn literals(text: &str) -> Vec<&str> {
    let (mut literals, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let length = literal_or_comment(rest);
        if length > 1 && matches!(first, '"' | 'r') {
            literals.push(&rest[1..length - 1]);
        }
        rest = &rest[length.max(first.len_utf8())..];
    }
    literals
}

/// The length of the comment, string or character that a text begins with, or zero.
fn literal_or_comment(text: &str) -> usize {
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return text.find("*/").map_or(text.len(), |end| end + 2);
    }
    if let Some(raw) = text.strip_prefix("r#\"") {
        return raw.find("\"#").map_or(text.len(), |end| end + 5);
    }
    if text.starts_with('"') {
        return ending(text, '"').unwrap_or(text.len());
    }
    // A quote with a second one within the length of an escape begins a character, any other one a lifetime.
    let is_character = text.starts_with("'\\") || text.chars().nth(2) == Some('\'');
    if text.starts_with('\'') && is_character {
        return ending(text, '\'').unwrap_or(text.len());
    }
    0
}

/// The end of a literal that begins and ends with `quote`.
fn ending(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if character == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

// === the rules ===

#[test]
fn every_room_has_a_row_and_every_row_a_room() {
    let files = File::all();
    let existing: BTreeSet<RoomName> = files.iter().filter_map(File::room).collect();
    let listed: BTreeSet<RoomName> = rooms().into_keys().collect();
    assert_eq!(existing, listed);
}

#[test]
fn rooms_use_only_what_the_table_allows() {
    let rooms = rooms();
    let mut used: BTreeMap<RoomName, BTreeSet<RoomName>> = BTreeMap::new();
    for file in File::all() {
        let Some(room) = file.room() else { continue };
        for name in file.uses(&rooms) {
            assert!(
                rooms[&room].contains(&name),
                "{} uses {name:?}, which {room:?} may not",
                file.name
            );
            used.entry(room.clone()).or_default().insert(name);
        }
    }
    for (name, may_use) in &rooms {
        let used = used.remove(name).unwrap_or_default();
        assert_eq!(used, *may_use, "{name:?} may use more than it does");
    }
}

#[test]
fn the_table_has_no_circle() {
    let mut waiting = rooms();
    loop {
        let free: Vec<RoomName> = waiting
            .iter()
            .filter(|(_, may_use)| may_use.iter().all(|used| !waiting.contains_key(used)))
            .map(|(name, _)| name.clone())
            .collect();
        if free.is_empty() {
            break;
        }
        waiting.retain(|name, _| !free.contains(name));
    }
    assert_eq!(waiting.keys().collect::<Vec<_>>(), Vec::<&RoomName>::new());
}

/// Crates that decide and do not act.
const PURE: [&str; 2] = ["judge", "core"];

#[test]
fn the_core_knows_no_runtime_socket_or_clock() {
    for file in File::all() {
        if !PURE.contains(&file.split().0) || file.name.ends_with("_tests.rs") {
            continue;
        }
        let code = code(&file.text);
        let (outside_tests, _) = code.split_once("#[cfg(test)]\nmod tests").unwrap_or((&code, ""));
        let words = paths(outside_tests);
        for moving in MOVING {
            assert!(!words.contains(moving), "{} mentions {moving}", file.name);
        }
    }
}

/// Words that the files of a folder do not mention outside their unit tests: absences that a row promises.
const ABSENT: [(&str, &[&str]); 3] = [
    ("crates/judge/src/call/", &["HeaderMap"]),
    (
        "crates/core/src/gateway/decision/",
        &["Mutex", "AtomicBool", "AtomicUsize", "OnceLock"],
    ),
    ("crates/core/src/relay/", &["serde_json::Value"]),
];

/// The part of a folder that reads what the rest of it does not see.
const READS_HEADERS: &str = "crates/judge/src/call/credentials/";

/// Crates that only the files of one folder use.
const ONE_FOLDER_ONLY: [(&str, &str); 2] = [("clap", "src/cli/"), ("anyhow", "src/cli/")];

/// The files of the calendar service's own program, which the edge does not build.
const OTHER_PROGRAM: [&str; 4] = [
    "crates/calendar/src/main.rs",
    "crates/calendar/src/copy.rs",
    "crates/calendar/src/follow.rs",
    "crates/calendar/src/site.rs",
];

#[test]
fn promised_absences_hold() {
    for file in File::all() {
        let code = code(&file.text);
        let (outside_tests, _) = code.split_once("#[cfg(test)]\nmod tests").unwrap_or((&code, ""));
        let words = paths(outside_tests);
        let promised = ABSENT.iter().filter(|(folder, _)| file.name.starts_with(folder));
        for (folder, absent) in promised.filter(|_| !file.name.starts_with(READS_HEADERS)) {
            for word in *absent {
                assert!(
                    !words.contains(word),
                    "{} mentions {word}, which {folder} may not",
                    file.name
                );
            }
        }
        if OTHER_PROGRAM.contains(&file.name.as_str()) {
            continue;
        }
        for (used, home) in ONE_FOLDER_ONLY
            .iter()
            .filter(|(_, home)| !file.name.starts_with(home))
        {
            assert!(
                !words.contains(used),
                "{} uses {used}, which is for {home} only",
                file.name
            );
        }
    }
}

/// Every path in a text, and every segment of one.
fn paths(code: &str) -> BTreeSet<&str> {
    code.split(|character: char| !character.is_alphanumeric() && !matches!(character, '_' | ':'))
        .flat_map(|path| std::iter::once(path).chain(path.split("::")))
        .collect()
}

#[test]
fn the_core_depends_on_no_runtime() {
    let manifest = read("crates/core/Cargo.toml");
    let (_, from) = manifest.split_once("[dependencies]").expect("a table");
    let (dependencies, _) = from.split_once("[dev-dependencies]").expect("a table");
    for runtime in ["tokio", "hyper", "reqwest", "tower", "rustls", "tracing"] {
        assert!(!dependencies.contains(&format!("\n{runtime}")), "{runtime}");
    }
}

#[test]
fn every_file_says_what_it_is() {
    for file in File::all() {
        let first = file.text.lines().next().unwrap_or_default();
        assert!(first.starts_with("//! ") && first.len() > 10, "{}", file.name);
    }
}

#[test]
fn files_are_short_unless_they_are_data() {
    let data = data_files();
    let mut long = BTreeSet::new();
    for file in File::all() {
        if file.text.lines().count() > LONGEST_FILE {
            long.insert(file.name);
        }
    }
    assert_eq!(long, data);
}

#[test]
fn every_file_the_document_names_exists() {
    let paths: Vec<String> = DOCUMENT
        .lines()
        .flat_map(quoted)
        .filter(|name| name.contains('/') && !name.contains([' ', '=']))
        .collect();
    assert!(paths.len() > 20, "{paths:?}");
    for path in paths {
        assert!(root().join(&path).exists(), "{path}");
    }
}

// === the scanner itself ===

#[test]
fn the_scanner_sees_code_and_nothing_else() {
    let text = r#"
        //! [`crate::comment`]
        use crate::plain::Thing;
        use crate::{first::A, second::{b, c}, third};
        /* crate::block */
        fn f<'a>(quote: char) -> &'a str {
            let _ = ('"', '\'', "crate::text \" crate::more");
            crate::inline::call(); not_crate::word();
            pub(crate) fn g() {}
            crate::Item
        }
    "#;
    let names = named_after(&code(text), "crate::");
    assert_eq!(names, ["plain", "first", "second", "third", "inline"]);
}
