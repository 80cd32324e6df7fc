//! The file of a walk: a heading, one line for each record, and an ending.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use anyhow::{Context as _, ensure};
use calendar_edge_core::migration::comparison::DifferenceClass;
use calendar_edge_judge::contract::Kind;
use serde::Serialize;
use serde_json::Value;

use super::super::super::file_hashes::{record_hash, sha256};
use super::super::super::list_reader::drop_json_ld;

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
    /// Begins a manifest, in place of an older one. Its first line, the heading, names the subject of the walk: `site`,
    /// `backend`, and a name of the `account` that reads, none: public records.
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

/// The hash of a response: of its JSON without spaces and without what is spelt at random, or of its bytes.
pub(super) fn hash(body: &[u8]) -> String {
    match serde_json::from_slice(body) {
        Ok(mut document) => {
            drop_json_ld(&mut document);
            record_hash(&document)
        }
        Err(_) => sha256(body),
    }
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
}
