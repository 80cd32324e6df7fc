//! The records of an export that is not finished: a file that grows, and an index of it in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use calendar_edge_judge::contract::Kind;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::entry;

/// What was read so far. Each line is written before the walk goes on, so that an interrupted export continues.
#[derive(Debug)]
pub(super) struct KeptRecords {
    file: File,
    length: u64,
    index: BTreeMap<KeptKey, KeptRecord>,
    place: WalkPlace,
}

/// The kind of a record, by its place in [`Kind::ALL`], and its number.
pub(super) type KeptKey = (usize, u64);

/// Where a record stands in the file.
#[derive(Debug)]
struct KeptRecord {
    start: u64,
    length: u64,
    hash: String,
    root: String,
}

/// How far the walk has come.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct WalkPlace {
    /// The number of finished passes.
    pub(super) passes: u32,
    /// The finished lists of the pass under way.
    pub(super) lists: usize,
    /// The finished pages of the list under way.
    pub(super) pages: u64,
    /// Records of the pass under way that are new or have changed.
    pub(super) changed: u64,
}

/// What makes two walks walks of the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct WalkSubject {
    pub(super) site: String,
    pub(super) public: Option<String>,
    pub(super) with_credentials: bool,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum PartLine {
    Subject(WalkSubject),
    /// A record that is new or has changed.
    Record {
        kind: usize,
        root: String,
        record: Value,
    },
    /// The end of a page, with all records on it.
    Page {
        seen: Vec<KeptKey>,
        place: WalkPlace,
    },
    /// The end of a pass: records that it has not seen are gone.
    Pass {
        place: WalkPlace,
    },
}

/// The records that the pass under way has seen.
#[derive(Debug, Default)]
pub(super) struct SeenRecords(BTreeSet<KeptKey>);

// === impl KeptRecords ===

impl KeptRecords {
    /// Continues the walk of a file, or begins one.
    pub(super) fn open(path: &Path, subject: &WalkSubject) -> anyhow::Result<(Self, SeenRecords)> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path)?;
        let mut kept = Self {
            file,
            length: 0,
            index: BTreeMap::new(),
            place: WalkPlace::default(),
        };
        let seen = kept.read(subject)?;
        // What a killed process left of its last line.
        kept.file.set_len(kept.length)?;
        if kept.length == 0 {
            kept.append(&PartLine::Subject(subject.clone()))?;
        }
        Ok((kept, seen))
    }

    pub(super) const fn place(&self) -> &WalkPlace {
        &self.place
    }

    pub(super) fn len(&self) -> usize {
        self.index.len()
    }

    /// Keeps a page of a list, whose first is 1.
    pub(super) fn add_page(
        &mut self,
        kind: Kind,
        root: &str,
        records: Vec<Value>,
        seen: &mut SeenRecords,
    ) -> anyhow::Result<()> {
        let kind = position(kind);
        let mut page = Vec::new();
        for record in records {
            let id = entry::id_of(&record).context("a record without a number")?;
            // Below several roots a record counts once, and on two pages of one pass as well.
            if !seen.0.insert((kind, id)) {
                continue;
            }
            page.push((kind, id));
            if self
                .index
                .get(&(kind, id))
                .is_none_or(|kept| kept.hash != entry::hash(&record))
            {
                self.place.changed += 1;
                let root = root.to_owned();
                self.keep(PartLine::Record { kind, root, record })?;
            }
        }
        self.place.pages += 1;
        let place = self.place.clone();
        self.append(&PartLine::Page { seen: page, place })?;
        Ok(())
    }

    /// Ends a list.
    pub(super) fn end_list(&mut self) {
        self.place.lists += 1;
        self.place.pages = 0;
    }

    /// Ends a pass. Returns true if it found what the pass before had found.
    pub(super) fn end_pass(&mut self, seen: &mut SeenRecords) -> anyhow::Result<bool> {
        let before = self.index.len();
        let is_same = self.place.changed == 0 && before == seen.0.len();
        self.index.retain(|key, _| seen.0.contains(key));
        self.place = WalkPlace {
            passes: self.place.passes + 1,
            ..WalkPlace::default()
        };
        seen.0.clear();
        let place = self.place.clone();
        self.append(&PartLine::Pass { place })?;
        Ok(is_same)
    }

    /// All records in the order of kinds and numbers, each with its root.
    pub(super) fn for_each(
        &mut self,
        mut take: impl FnMut((Kind, u64), &str, Value) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        for ((kind, id), kept) in &self.index {
            let kind = Kind::ALL.get(*kind).context("a record without a kind")?;
            let mut line = vec![0; usize::try_from(kept.length)?];
            self.file.seek(SeekFrom::Start(kept.start))?;
            self.file.read_exact(&mut line)?;
            let PartLine::Record { record, .. } = serde_json::from_slice(&line)? else {
                bail!("the file of the walk has changed");
            };
            take((*kind, *id), &kept.root, record)?;
        }
        Ok(())
    }

    fn read(&mut self, subject: &WalkSubject) -> anyhow::Result<SeenRecords> {
        let mut seen = SeenRecords::default();
        let mut lines = BufReader::new(self.file.try_clone()?);
        lines.seek(SeekFrom::Start(0))?;
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line)? > 0 {
            // The last line may be half written.
            let Some(Ok(read)) = line.strip_suffix(b"\n").map(serde_json::from_slice) else {
                break;
            };
            let start = self.length;
            self.length += u64::try_from(line.len())?;
            line.clear();
            match read {
                PartLine::Subject(known) => ensure!(
                    known == *subject,
                    "the directory has an unfinished export of {}{}",
                    known.site,
                    if known.with_credentials {
                        " with credentials"
                    } else {
                        ""
                    }
                ),
                PartLine::Record { kind, root, record } => {
                    self.note(start, kind, root, &record)?;
                    self.place.changed += 1;
                }
                PartLine::Page { seen: page, place } => {
                    seen.0.extend(page);
                    self.place = place;
                }
                PartLine::Pass { place } => {
                    self.index.retain(|key, _| seen.0.contains(key));
                    seen.0.clear();
                    self.place = place;
                }
            }
        }
        Ok(seen)
    }

    fn keep(&mut self, line: PartLine) -> anyhow::Result<()> {
        let start = self.length;
        self.append(&line)?;
        if let PartLine::Record { kind, root, record } = line {
            self.note(start, kind, root, &record)?;
        }
        Ok(())
    }

    /// Notes that the record of the last line begins at `start`.
    fn note(&mut self, start: u64, kind: usize, root: String, record: &Value) -> anyhow::Result<()> {
        let id = entry::id_of(record).context("a record without a number")?;
        let kept = KeptRecord {
            start,
            length: self.length - start,
            hash: entry::hash(record),
            root,
        };
        self.index.insert((kind, id), kept);
        Ok(())
    }

    fn append(&mut self, line: &PartLine) -> anyhow::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.file.write_all(&text)?;
        self.length += u64::try_from(text.len())?;
        Ok(())
    }
}

fn position(kind: Kind) -> usize {
    Kind::ALL
        .iter()
        .position(|known| *known == kind)
        .unwrap_or_default()
}
