//! Checks the rules of ARCHITECTURE.md against the code.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use crate::repository::{read, root, texts};

static DOCUMENT: LazyLock<String> = LazyLock::new(|| read("ARCHITECTURE.md"));

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

/// A row of the table of allowed dependencies.
struct Room {
    is_core: bool,
    may_use: BTreeSet<String>,
}

fn rooms() -> BTreeMap<String, Room> {
    rows("| Room | Kind | May use |")
        .map(|cells| {
            let is_core = match cells[1] {
                "core" => true,
                "shell" => false,
                other => panic!("{other} is not a kind of room"),
            };
            let may_use = quoted(cells[2]).collect();
            (only(cells[0]), Room { is_core, may_use })
        })
        .collect()
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

/// The source folders of the shell, the core and the sandbox.
const SOURCES: [&str; 3] = ["src/", "core/src/", "sandbox/src/"];

/// A source file of the edge or of the sandbox.
struct File {
    /// From the root of the repository: `core/src/routing/locate.rs`.
    name: String,
    text: String,
}

impl File {
    fn all() -> Vec<Self> {
        let files = SOURCES.iter().flat_map(|folder| texts(folder, "rs"));
        files.map(|(name, text)| Self { name, text }).collect()
    }

    /// The folder of sources it is in, and its path below that.
    fn split(&self) -> (&'static str, &str) {
        let split = |folder: &&'static str| Some((*folder, self.name.strip_prefix(*folder)?));
        SOURCES.iter().find_map(split).expect("a folder of sources")
    }

    /// The room it belongs to: a top-level module, or the whole sandbox; none for the roots of crates.
    fn room(&self) -> Option<&str> {
        match self.split() {
            ("sandbox/src/", _) => Some("sandbox"),
            (_, "lib.rs" | "main.rs") => None,
            (_, below) => Some(below.split('/').next()?.trim_end_matches(".rs")),
        }
    }

    /// Paths that begin with these name a room next.
    fn roots(&self) -> &'static [&'static str] {
        match self.split().0 {
            "sandbox/src/" => &["calendar_edge_core::"],
            _ => &["crate::", "calendar_edge::", "calendar_edge_core::"],
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
    fn uses(&self, rooms: &BTreeMap<String, Room>) -> BTreeSet<String> {
        let code = code(&self.text);
        let from_root = self.roots().iter();
        // A chain of `super` that leaves the room ends at the crate as well.
        let chain = "super::".repeat(self.depth());
        let mut used: BTreeSet<String> = from_root
            .flat_map(|start| named_after(&code, start))
            .chain(
                named_after(&code, &chain)
                    .into_iter()
                    .filter(|name| rooms.contains_key(name)),
            )
            .collect();
        if code.contains("calendar_edge_sandbox") {
            used.insert("sandbox".to_owned());
        }
        used.remove(self.room().unwrap_or_default());
        used
    }
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

/// `a::b` names `a`; `{a::b, c::{d, e}}` names `a` and `c`.
fn first_segments(path: &str) -> Vec<String> {
    let word = |text: &str| -> String {
        let end = text.find(|character: char| !character.is_alphanumeric() && character != '_');
        text[..end.unwrap_or(text.len())].to_owned()
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
    let existing: BTreeSet<&str> = files.iter().filter_map(File::room).collect();
    let rooms = rooms();
    let listed: BTreeSet<&str> = rooms.keys().map(String::as_str).collect();
    assert_eq!(existing, listed);
    let described: BTreeSet<String> = rows("| Room | What it is | What is absent |")
        .map(|cells| only(cells[0]))
        .collect();
    assert_eq!(described, rooms.keys().cloned().collect());
}

#[test]
fn rooms_use_only_what_the_table_allows() {
    let rooms = rooms();
    let mut used: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let files = File::all();
    for file in &files {
        let Some(room) = file.room() else { continue };
        for name in file.uses(&rooms) {
            assert!(
                rooms[room].may_use.contains(&name),
                "{} uses {name}, which `{room}` may not",
                file.name
            );
            used.entry(room).or_default().insert(name);
        }
    }
    for (name, room) in &rooms {
        let used = used.remove(name.as_str()).unwrap_or_default();
        assert_eq!(used, room.may_use, "`{name}` may use more than it does");
    }
}

#[test]
fn the_table_has_no_circle() {
    let mut waiting: BTreeMap<String, BTreeSet<String>> = rooms()
        .into_iter()
        .map(|(name, room)| (name, room.may_use))
        .collect();
    loop {
        let free: Vec<String> = waiting
            .iter()
            .filter(|(_, may_use)| may_use.iter().all(|used| !waiting.contains_key(used)))
            .map(|(name, _)| name.clone())
            .collect();
        if free.is_empty() {
            break;
        }
        waiting.retain(|name, _| !free.contains(name));
    }
    assert_eq!(waiting.keys().collect::<Vec<_>>(), Vec::<&String>::new());
}

#[test]
fn the_core_knows_no_runtime_socket_or_clock() {
    let rooms = rooms();
    for file in File::all() {
        let is_core = file.room().is_some_and(|room| rooms[room].is_core);
        if !is_core || file.name.ends_with("_tests.rs") {
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

/// Words that a room does not mention outside its unit tests: absences that its row promises.
const ABSENT: [(&str, &[&str]); 3] = [
    ("call", &["HeaderMap"]),
    ("decision", &["Mutex", "AtomicBool", "AtomicUsize", "OnceLock"]),
    ("relay", &["serde_json::Value"]),
];

/// Crates that only one room uses.
const ONE_ROOM_ONLY: [(&str, &str); 2] = [("clap", "cli"), ("anyhow", "cli")];

#[test]
fn promised_absences_hold() {
    for file in File::all() {
        let Some(room) = file.room() else { continue };
        let code = code(&file.text);
        let (outside_tests, _) = code.split_once("#[cfg(test)]\nmod tests").unwrap_or((&code, ""));
        let words = paths(outside_tests);
        for (name, absent) in ABSENT.iter().filter(|(name, _)| *name == room) {
            for word in *absent {
                assert!(
                    !words.contains(word),
                    "{} mentions {word}, which `{name}` may not",
                    file.name
                );
            }
        }
        for (used, home) in ONE_ROOM_ONLY.iter().filter(|(_, home)| *home != room) {
            assert!(
                !words.contains(used),
                "{} uses {used}, which is for `{home}` only",
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
    let manifest = read("core/Cargo.toml");
    let (_, from) = manifest.split_once("[dependencies]").expect("a table");
    let (dependencies, _) = from.split_once("[dev-dependencies]").expect("a table");
    for runtime in ["tokio", "hyper", "reqwest", "tower", "rustls", "tracing"] {
        assert!(!dependencies.contains(&format!("\n{runtime}")), "{runtime}");
    }
}

#[test]
fn the_core_uses_no_room_of_the_shell() {
    let rooms = rooms();
    for (name, room) in rooms.iter().filter(|(_, room)| room.is_core) {
        let moving = |used: &&String| !rooms[*used].is_core;
        assert_eq!(room.may_use.iter().find(moving), None, "{name}");
    }
}

#[test]
fn rooms_of_the_core_are_in_its_crate() {
    let rooms = rooms();
    for file in File::all() {
        let Some(room) = file.room() else { continue };
        let is_in_core = file.split().0 == "core/src/";
        assert_eq!(is_in_core, rooms[room].is_core, "{}", file.name);
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
