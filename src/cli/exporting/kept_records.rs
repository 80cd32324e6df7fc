//! The records of an export that is not finished: a file that grows, and an index of it in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use calendar_edge_core::migration::comparison::{ComparedResponse, Comparer, OwnHosts};
use calendar_edge_judge::contract::{Kind, OperationId, table};
use http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::list_reader::ListPage;
use super::super::unlisted::Uncovered;
use super::entry;

/// The records until the export is finished.
pub(super) const PART: &str = "walk.part";

/// The most paths that are named as changing.
const MOST_NAMED: usize = 10;

/// What was read so far. Each line is written before the walk goes on, so that an interrupted export continues.
#[derive(Debug)]
pub(super) struct KeptRecords {
    file: File,
    length: u64,
    index: BTreeMap<KeptKey, KeptRecord>,
    place: WalkPlace,
    comparer: Comparer,
    /// The records that the pass under way has seen.
    seen: BTreeSet<KeptKey>,
    /// Where they differ from those of the pass before.
    changing: BTreeSet<String>,
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
    /// What the pass under way could not read.
    #[serde(default)]
    pub(super) uncovered: Uncovered,
}

/// What makes two walks walks of the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct WalkSubject {
    pub(super) site: String,
    pub(super) public: Option<String>,
    /// A name of the account; none: what is public.
    pub(super) account: Option<String>,
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

// === impl KeptRecords ===

impl KeptRecords {
    /// Continues the walk in a directory, or begins one. What the comparer ignores is no change of a record.
    pub(super) fn open(directory: &Path, subject: &WalkSubject, comparer: Comparer) -> anyhow::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options
            .open(directory.join(PART))
            .with_context(|| format!("{PART} cannot be opened"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                bail!("another process exports into {}", directory.display());
            }
            Err(TryLockError::Error(error)) => return Err(error).context(PART),
        }
        let mut kept = Self {
            file,
            length: 0,
            index: BTreeMap::new(),
            place: WalkPlace::default(),
            comparer,
            seen: BTreeSet::new(),
            changing: BTreeSet::new(),
        };
        kept.read(subject)?;
        // What a killed process left of its last line.
        kept.file.set_len(kept.length)?;
        if kept.length == 0 {
            kept.append(&PartLine::Subject(subject.clone()))?;
        }
        Ok(kept)
    }

    pub(super) const fn place(&self) -> &WalkPlace {
        &self.place
    }

    pub(super) fn len(&self) -> usize {
        self.index.len()
    }

    /// Where records changed in the pass under way, as paths of lists: `venues[].city`. Records that are new or gone are
    /// not among them.
    pub(super) fn changing(&self) -> impl Iterator<Item = &str> {
        self.changing.iter().map(String::as_str)
    }

    /// Keeps a page of a list, whose first is 1.
    pub(super) fn add_page(&mut self, kind: Kind, root: &str, records: Vec<Value>) -> anyhow::Result<()> {
        let kind = position(kind);
        let mut page = Vec::new();
        for record in records {
            let id = id_of(&record)?;
            // Below several roots a record counts once, and on two pages of one pass as well.
            if !self.seen.insert((kind, id)) {
                continue;
            }
            page.push((kind, id));
            let hash = self.hash(kind, &record)?;
            let known = self.index.get(&(kind, id));
            if known.is_none_or(|known| known.hash != hash) {
                self.place.changed += 1;
                self.note_change((kind, id), &record)?;
                let root = root.to_owned();
                self.keep(PartLine::Record { kind, root, record })?;
            }
        }
        self.place.pages += 1;
        let place = self.place.clone();
        self.append(&PartLine::Page { seen: page, place })?;
        Ok(())
    }

    /// Whether the pass under way has seen a record.
    pub(super) fn has_seen(&self, kind: Kind, id: u64) -> bool {
        self.seen.contains(&(position(kind), id))
    }

    /// Notes a page of the numbers that WordPress lists, before it is kept.
    pub(super) fn note_uncovered(&mut self, page: Option<&ListPage>) {
        self.place.uncovered.note(page);
    }

    /// Ends a list.
    pub(super) fn end_list(&mut self) {
        self.place.lists += 1;
        self.place.pages = 0;
    }

    /// Begins a pass, or goes on with one.
    pub(super) fn begin_pass(&mut self) {
        self.changing.clear();
    }

    /// Ends a pass. Returns true if it found what the pass before had found.
    pub(super) fn end_pass(&mut self) -> anyhow::Result<bool> {
        let is_same = self.place.changed == 0 && self.index.len() == self.seen.len();
        self.drop_gone();
        self.place = WalkPlace {
            passes: self.place.passes + 1,
            ..WalkPlace::default()
        };
        let place = self.place.clone();
        self.append(&PartLine::Pass { place })?;
        Ok(is_same)
    }

    /// Forgets the records that the ending pass has not seen.
    fn drop_gone(&mut self) {
        let seen = std::mem::take(&mut self.seen);
        self.index.retain(|key, _| seen.contains(key));
    }

    /// All records in the order of kinds and numbers, each with its root.
    pub(super) fn for_each(
        &mut self,
        mut take: impl FnMut((Kind, u64), &str, &str, Value) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        for ((kind, id), kept) in &self.index {
            let record = kept.record(&self.file)?;
            take((kind_at(*kind)?, *id), &kept.root, &kept.hash, record)?;
        }
        Ok(())
    }

    /// The hash of a record, without what is ignored.
    fn hash(&self, kind: usize, record: &Value) -> anyhow::Result<String> {
        let (collection, list) = list_of(kind)?;
        let mut document = json!({ (collection): [record] });
        self.comparer.drop_ignored(list, &mut document);
        let records = document.get(collection).and_then(Value::as_array);
        let record = records.and_then(|records| records.first());
        Ok(entry::hash(record.context("a list without its record")?))
    }

    /// Notes where a known record has changed.
    fn note_change(&mut self, key: KeptKey, record: &Value) -> anyhow::Result<()> {
        let Some(known) = self.index.get(&key) else {
            return Ok(());
        };
        let (collection, list) = list_of(key.0)?;
        let [before, now] = [known.record(&self.file)?, record.clone()]
            .map(|record| json!({ (collection): [record] }).to_string());
        let headers = HeaderMap::new();
        let answer = |body| ComparedResponse {
            status: StatusCode::OK,
            headers: &headers,
            body,
            own_hosts: OwnHosts::NONE,
        };
        let (before, now) = (answer(before.as_bytes()), answer(now.as_bytes()));
        let findings = self.comparer.compare(list, before, now);
        for finding in findings.iter() {
            if self.changing.len() < MOST_NAMED {
                self.changing.insert(finding.path);
            }
        }
        Ok(())
    }

    fn read(&mut self, subject: &WalkSubject) -> anyhow::Result<()> {
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
                    "the directory has an unfinished export of another site, public_url or account: of {}",
                    known.site
                ),
                PartLine::Record { kind, root, record } => {
                    self.note(start, kind, root, &record)?;
                    self.place.changed += 1;
                }
                PartLine::Page { seen: page, place } => {
                    self.seen.extend(page);
                    self.place = place;
                }
                PartLine::Pass { place } => {
                    self.drop_gone();
                    self.place = place;
                }
            }
        }
        Ok(())
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
        let id = id_of(record)?;
        let kept = KeptRecord {
            start,
            length: self.length - start,
            hash: self.hash(kind, record)?,
            root,
        };
        self.index.insert((kind, id), kept);
        Ok(())
    }

    fn append(&mut self, line: &PartLine) -> anyhow::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.file
            .write_all(&text)
            .with_context(|| format!("{PART} cannot be written"))?;
        self.length += u64::try_from(text.len())?;
        Ok(())
    }
}

// === impl KeptRecord ===

impl KeptRecord {
    fn record(&self, mut file: &File) -> anyhow::Result<Value> {
        let mut line = vec![0; usize::try_from(self.length)?];
        file.seek(SeekFrom::Start(self.start))?;
        file.read_exact(&mut line)?;
        let PartLine::Record { record, .. } = serde_json::from_slice(&line)? else {
            bail!("{PART} has changed");
        };
        Ok(record)
    }
}

/// The number of a record.
pub(super) fn id_of(record: &Value) -> anyhow::Result<u64> {
    record["id"].as_u64().context("a record without a number")
}

/// The collection of a kind by its place, and the operation that lists it.
fn list_of(kind: usize) -> anyhow::Result<(&'static str, Option<OperationId>)> {
    let collection = kind_at(kind)?.collection();
    let list = table().named(&format!("{collection}.list"));
    Ok((collection, list.map(|operation| operation.id)))
}

fn kind_at(position: usize) -> anyhow::Result<Kind> {
    Kind::ALL
        .get(position)
        .copied()
        .context("a record without a kind")
}

fn position(kind: Kind) -> usize {
    Kind::ALL
        .iter()
        .position(|known| *known == kind)
        .unwrap_or_default()
}
