//! The file of a walk: a heading, one line for each record, and an ending.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use anyhow::{Context as _, ensure};
use calendar_edge_core::migration::comparison::DifferenceClass;
use calendar_edge_judge::contract::Kind;
use ring::digest::{SHA256, digest};
use serde::Serialize;
use serde_json::Value;

/// The longest line that is read, in bytes; slugs and paths take far less.
const LONGEST_LINE: u64 = 1 << 20;

/// A record as the manifest names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct RecordKey {
    pub(super) root: String,
    pub(super) kind: String,
    pub(super) id: u64,
}

/// A record that a list names, and what its comparison has found.
#[derive(Debug, Clone, Serialize)]
pub(super) struct VerifiedRecord {
    #[serde(flatten)]
    pub(super) key: RecordKey,
    pub(super) slug: Option<String>,
    /// The time of the last change; terms do not have it.
    pub(super) modified: Option<String>,
    /// The site's status.
    pub(super) status: u16,
    /// SHA-256 of the site's response, without what is spelt at random.
    pub(super) hash: String,
    /// The worst class of all its reads.
    pub(super) class: DifferenceClass,
    /// The paths that are worse than what is accepted.
    pub(super) paths: Vec<String>,
}

/// The number of records that were compared, and of those that are equal.
#[derive(Debug, Default, Serialize)]
pub(super) struct WalkSummary {
    pub(super) records: u64,
    pub(super) equal: u64,
}

/// A manifest that is being written.
#[derive(Debug)]
pub(super) struct Manifest {
    file: File,
}

// === impl VerifiedRecord ===

impl VerifiedRecord {
    /// Reads an item of a list, which was not compared yet; none if it has no number.
    pub(super) fn listed(root: &str, kind: Kind, item: &Value) -> Option<Self> {
        let text = |name: &str| item.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            key: RecordKey {
                root: root.to_owned(),
                kind: kind.collection().to_owned(),
                id: item.get("id")?.as_u64()?,
            },
            slug: text("slug").filter(|slug| !slug.is_empty()),
            modified: text("modified_utc"),
            status: 0,
            hash: String::new(),
            class: DifferenceClass::Identical,
            paths: Vec::new(),
        })
    }
}

// === impl Manifest ===

impl Manifest {
    /// Begins a manifest, in place of an older one. Its first line, the heading, names the subject of the walk: `site` and
    /// `backend`.
    ///
    /// # Errors
    ///
    /// When the file cannot be used, or is no manifest.
    pub(super) fn begin(path: &Path, heading: &Value) -> anyhow::Result<Self> {
        let name = || format!("{} cannot be used", path.display());
        let mut file = private(path).with_context(name)?;
        ensure_manifest(&file).with_context(name)?;
        file.set_len(0).with_context(name)?;
        file.seek(SeekFrom::Start(0)).with_context(name)?;
        let mut manifest = Self { file };
        manifest.line(heading)?;
        Ok(manifest)
    }

    /// Adds a line, which is in the file when this returns.
    pub(super) fn line(&mut self, line: &impl Serialize) -> anyhow::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.file
            .write_all(&text)
            .context("the manifest cannot be written")
    }
}

/// Fails unless the file is empty, or begins as a manifest does.
fn ensure_manifest(file: &File) -> anyhow::Result<()> {
    ensure!(file.metadata()?.is_file(), "it is no file");
    let mut line = Vec::new();
    BufReader::new(file.take(LONGEST_LINE)).read_until(b'\n', &mut line)?;
    let heading: Value = serde_json::from_slice(&line).unwrap_or_default();
    ensure!(
        line.is_empty() || heading.get("site").is_some(),
        "it is no manifest"
    );
    Ok(())
}

/// A file that only this user can read: slugs of drafts are confidential.
fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// SHA-256 of a response in hexadecimal digits: of its JSON without spaces and without what is spelt at random, or of its
/// bytes. WordPress writes some letters of e-mail addresses as entities, others each time.
pub(super) fn hash(body: &[u8]) -> String {
    let hash = match serde_json::from_slice(body) {
        Ok(mut document) => {
            drop_json_ld(&mut document);
            digest(&SHA256, without_entities(&document.to_string()).as_bytes())
        }
        Err(_) => digest(&SHA256, body),
    };
    hash.as_ref().iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Drops what a record has beside its list, at every place: the site spells it at random.
fn drop_json_ld(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.remove("json_ld");
            members.values_mut().for_each(drop_json_ld);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_json_ld),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The text with letters for their decimal entities: `&#101;` is `e`.
fn without_entities(text: &str) -> String {
    let mut pieces = text.split("&#");
    let mut whole = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let letter = piece.split_once(';').and_then(|(number, rest)| {
            let letter = char::from(number.parse::<u8>().ok()?);
            letter.is_ascii_graphic().then_some((letter, rest))
        });
        match letter {
            Some((letter, rest)) => {
                whole.push(letter);
                whole.push_str(rest);
            }
            None => whole.extend(["&#", piece]),
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_manifest_takes_the_place_of_an_older_one_and_of_nothing_else() {
        let path = std::env::temp_dir().join(format!("calendar-edge-manifest-{}", std::process::id()));
        let heading = |name: &str| json!({"site": "http://a.example/", "backend": name});
        let text = || std::fs::read_to_string(&path).unwrap();
        let mut manifest = Manifest::begin(&path, &heading("one")).unwrap();
        manifest.line(&json!({"id": 7})).unwrap();
        assert_eq!(text().lines().count(), 2);
        drop(Manifest::begin(&path, &heading("two")).unwrap());
        assert_eq!(text(), format!("{}\n", heading("two")));
        for foreign in ["my notes, without an end of line", "{\"site\":", "my notes\n"] {
            std::fs::write(&path, foreign).unwrap();
            assert!(Manifest::begin(&path, &heading("one")).is_err(), "{foreign}");
            assert_eq!(text(), foreign);
        }
        std::fs::remove_file(&path).unwrap();
        #[cfg(target_os = "linux")]
        for device in ["/dev/zero", "/dev/full"] {
            assert!(
                Manifest::begin(Path::new(device), &heading("one")).is_err(),
                "{device}"
            );
        }
    }

    #[test]
    fn a_hash_is_about_values() {
        assert_eq!(hash(br#"{"a":1,"json_ld":2}"#), hash(br#"{ "a": 1 }"#));
        assert_eq!(hash(br#"{"a":"&#64;"}"#), hash(br#"{"a":"@"}"#));
        assert_ne!(hash(br#"{"a":1}"#), hash(br#"{"a":2}"#));
        assert_ne!(hash(b"<a>"), hash(b"<b>"));
    }

    #[test]
    fn an_address_in_other_letters_is_no_change() {
        let of = |text: &str| hash(json!({ "description": text }).to_string().as_bytes());
        assert_eq!(of("a&#64;b.&#101;x &#8211;"), of("&#97;@b.ex &#8211;"));
        assert_ne!(of("a@b.ex"), of("a@b.ey"));
        assert_ne!(of("&#8211;"), of("&#8212;"));
    }
}
