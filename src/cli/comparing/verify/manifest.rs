//! The file of a walk: one line for each record, by which an unfinished walk goes on.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use calendar_edge_core::migration::comparison::DifferenceClass;
use calendar_edge_judge::contract::Kind;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::super::file_hashes::sha256;

/// Members that are spelt at random.
const RANDOM: &str = "json_ld";

/// The longest line that is read, in bytes; slugs and paths take far less.
const LONGEST_LINE: u64 = 1 << 20;

/// A record as the manifest names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct RecordKey {
    pub(super) root: String,
    pub(super) kind: String,
    pub(super) id: u64,
}

/// A record that a list names, and what its comparison has found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct VerifiedRecord {
    #[serde(flatten)]
    pub(super) key: RecordKey,
    pub(super) slug: Option<String>,
    /// When it was last changed; terms do not say.
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

/// The numbers of records by which the last line of a finished walk is known.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct WalkSummary {
    pub(super) records: u64,
    pub(super) equal: u64,
}

/// A manifest that is being written.
#[derive(Debug)]
pub(super) struct Manifest {
    file: File,
    known: BTreeMap<RecordKey, VerifiedRecord>,
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
    /// Goes on with the unfinished manifest of a walk, or begins a new one. Its first line, the heading, says what the walk is
    /// about: `site`, `backend`, and a name of the `account` that reads, none: what is public.
    ///
    /// # Errors
    ///
    /// When the file cannot be used, or belongs to another walk.
    pub(super) fn open(path: &Path, heading: &Value) -> anyhow::Result<Self> {
        let name = || format!("{} cannot be used", path.display());
        let mut file = private(path).with_context(name)?;
        let (known, whole) = earlier(&file, heading).with_context(name)?;
        // A line that a kill has cut off, or all of a walk that has ended.
        file.set_len(whole).with_context(name)?;
        file.seek(SeekFrom::End(0)).with_context(name)?;
        let mut manifest = Self { file, known };
        if whole == 0 {
            manifest.line(heading)?;
        }
        Ok(manifest)
    }

    /// What an earlier run found about a record that has not changed since.
    pub(super) fn known(&self, record: &VerifiedRecord) -> Option<&VerifiedRecord> {
        let known = self.known.get(&record.key)?;
        (known.modified == record.modified).then_some(known)
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

/// The records of an unfinished walk, and the bytes of its whole lines; none and zero otherwise.
fn earlier(file: &File, heading: &Value) -> anyhow::Result<(BTreeMap<RecordKey, VerifiedRecord>, u64)> {
    ensure!(file.metadata()?.is_file(), "it is no file");
    let mut reader = BufReader::new(file);
    let (mut known, mut whole, mut line) = (BTreeMap::new(), 0, Vec::new());
    loop {
        line.clear();
        let length = reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        if !line.ends_with(b"\n") {
            // A kill has cut off the line, of which nothing is known unless it is the first one.
            let is_ours = whole > 0 || serde_json::to_vec(heading)?.starts_with(&line);
            ensure!(is_ours, "it is no manifest of this walk");
            return Ok((known, whole));
        }
        if whole == 0 {
            let written: Value = serde_json::from_slice(&line).context("it is no manifest")?;
            ensure!(written.get("site").is_some(), "it is no manifest");
            if written != *heading {
                bail!("it is the manifest of another walk; name another file with --manifest");
            }
        } else if serde_json::from_slice::<WalkSummary>(&line).is_ok() {
            return Ok((BTreeMap::new(), 0));
        } else {
            let record: VerifiedRecord = serde_json::from_slice(&line).context("it has a broken line")?;
            known.insert(record.key.clone(), record);
        }
        whole += u64::try_from(length)?;
    }
}

/// A file that only this user can read: slugs of drafts are nobody else's business.
fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// The hash of a response: of its JSON without spaces and without what is spelt at random, or of its bytes.
pub(super) fn hash(body: &[u8]) -> String {
    let plain = serde_json::from_slice::<Value>(body).ok().map(|mut document| {
        drop_random(&mut document);
        document.to_string().into_bytes()
    });
    sha256(plain.as_deref().unwrap_or(body))
}

fn drop_random(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.remove(RANDOM);
            members.values_mut().for_each(drop_random);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_random),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn heading(account: Option<&str>) -> Value {
        json!({"site": "http://a.example/", "backend": "next", "account": account})
    }

    fn record(id: u64) -> VerifiedRecord {
        VerifiedRecord {
            key: RecordKey {
                root: "/wp-json".to_owned(),
                kind: "events".to_owned(),
                id,
            },
            slug: None,
            modified: Some("now".to_owned()),
            status: 200,
            hash: hash(b"{}"),
            class: DifferenceClass::Identical,
            paths: Vec::new(),
        }
    }

    #[test]
    fn a_walk_goes_on_behind_its_last_whole_line() {
        let path = std::env::temp_dir().join(format!("calendar-edge-manifest-{}", std::process::id()));
        let heading = heading(None);
        let mut manifest = Manifest::open(&path, &heading).unwrap();
        manifest.line(&record(7)).unwrap();
        manifest.file.write_all(b"{\"root\":\"/wp-").unwrap();
        drop(manifest);
        let mut manifest = Manifest::open(&path, &heading).unwrap();
        assert!(manifest.known(&record(7)).is_some());
        let later = VerifiedRecord {
            modified: Some("later".to_owned()),
            ..record(7)
        };
        assert!(manifest.known(&later).is_none(), "it has changed");
        manifest.line(&record(8)).unwrap();
        let manifest = Manifest::open(&path, &heading).unwrap();
        assert_eq!(manifest.known.len(), 2);
        let other = super::tests::heading(Some("0a"));
        assert!(Manifest::open(&path, &other).is_err());
        let mut manifest = Manifest::open(&path, &heading).unwrap();
        manifest.line(&WalkSummary { records: 2, equal: 2 }).unwrap();
        let manifest = Manifest::open(&path, &heading).unwrap();
        assert!(manifest.known.is_empty(), "an ended walk begins anew");
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_file_of_others_stays_as_it_is() {
        let path = std::env::temp_dir().join(format!("calendar-edge-foreign-{}", std::process::id()));
        let heading = heading(Some("0a"));
        for foreign in ["my notes, without an end of line", "{\"site\":", "my notes\n"] {
            std::fs::write(&path, foreign).unwrap();
            let opened = Manifest::open(&path, &heading);
            let is_heading = foreign == "{\"site\":";
            assert_eq!(opened.is_ok(), is_heading, "{foreign}");
            let kept = std::fs::read_to_string(&path).unwrap();
            assert_eq!(kept == foreign, !is_heading, "{foreign}");
        }
        let other = super::tests::heading(Some("0b"));
        std::fs::write(&path, "").unwrap();
        drop(Manifest::open(&path, &heading).unwrap());
        assert!(Manifest::open(&path, &other).is_err(), "another account");
        std::fs::remove_file(path).unwrap();
        #[cfg(target_os = "linux")]
        for device in ["/dev/zero", "/dev/full"] {
            assert!(Manifest::open(Path::new(device), &heading).is_err(), "{device}");
        }
    }

    #[test]
    fn a_hash_is_about_values() {
        assert_eq!(hash(br#"{"a":1,"json_ld":2}"#), hash(br#"{ "a": 1 }"#));
        assert_ne!(hash(br#"{"a":1}"#), hash(br#"{"a":2}"#));
        assert_ne!(hash(b"<a>"), hash(b"<b>"));
    }
}
