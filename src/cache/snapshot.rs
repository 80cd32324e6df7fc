//! Stored responses in a file, which is written aside, renamed and read at start.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::path::Path;
use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use super::store::Cache;
use crate::calls::{StoredMetadata, StoredResponse, WholeResponse};
use crate::server::response::AnsweredBy;
use crate::server::state_file;
use calendar_edge_core::cache::{SNAPSHOT_HEADER, SnapshotHead, SnapshotLengths, snapshot_seal};
use calendar_edge_core::unix_time::UnixTime;

/// A length of a head or body in a file.
fn length(bytes: &[u8]) -> io::Result<u32> {
    u32::try_from(bytes.len()).map_err(|_| broken("it is too long"))
}

fn broken(reason: &str) -> io::Error {
    io::Error::new(
        ErrorKind::InvalidData,
        format!("the snapshot is broken: {reason}"),
    )
}

// === impl Cache ===

impl Cache {
    /// Reads the snapshot of an earlier run. What it holds is served only if the site fails. A file that is absent, broken
    /// or of another version is left alone, with a line in the log.
    pub(crate) fn restore(&self) {
        let settings = self.settings();
        let Some(path) = settings.snapshot.filter(|_| settings.enabled) else {
            return;
        };
        match self.read_all(&path) {
            Ok(answers) => {
                self.note_saved();
                tracing::info!(answers, path = %path.display(), "kept answers were read");
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => {
                tracing::warn!(%error, path = %path.display(), "kept answers cannot be read");
            }
        }
    }

    fn read_all(&self, path: &Path) -> io::Result<usize> {
        let largest_kept = self.settings().largest_body();
        let file = File::open(path)?;
        // What was written with other settings may be too large by now; the file holds it nevertheless.
        let largest = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
        let mut file = BufReader::new(file);
        let mut header = vec![0; SNAPSHOT_HEADER.len()];
        file.read_exact(&mut header)?;
        if header != SNAPSHOT_HEADER {
            return Err(broken("another version wrote it"));
        }
        let mut found = Vec::new();
        while let Some((head, body)) = read_one(&mut file, largest)? {
            if body.len() <= largest_kept {
                let restored = self.restored(&head, &body)?;
                found.push((head.key, restored));
            }
        }
        let answers = found.len();
        for (key, stored) in found {
            self.keep(&key, &stored);
        }
        Ok(answers)
    }

    /// Writes all stored answers to the file of the settings, if there is one and something was stored since the last time.
    /// Blocks for the time of writing.
    pub(crate) fn save(&self) {
        if !self.note_saved() {
            return;
        }
        let settings = self.settings();
        let Some(path) = settings.snapshot.filter(|_| settings.enabled) else {
            return;
        };
        if let Err(error) = self.write_all(&path) {
            tracing::warn!(%error, path = %path.display(), "kept answers cannot be written");
        }
    }

    fn restored(&self, head: &SnapshotHead, body: &[u8]) -> io::Result<Arc<StoredResponse>> {
        let answer = answer(head, body).ok_or_else(|| broken("an answer has no status"))?;
        let fill = StoredMetadata {
            filled: head.filled(),
            dependencies: head.dependencies(),
            generation: 0,
        };
        Ok(self.answer(answer, fill, None))
    }

    fn write_all(&self, path: &Path) -> io::Result<()> {
        state_file::replace(path, |file| {
            file.write_all(SNAPSHOT_HEADER)?;
            for (key, stored) in self.answers().iter() {
                // What comes from a snapshot is for failures of the site alone.
                if self.holds(&stored) && !stored.metadata().filled.stated.must_revalidate {
                    write_one(file, &key, &stored)?;
                }
            }
            file.write_all(&SnapshotLengths::END.to_bytes())
        })
    }
}

fn write_one(file: &mut impl Write, key: &str, stored: &StoredResponse) -> io::Result<()> {
    let filled = &stored.metadata().filled;
    let headers = stored.answer().headers().iter().filter_map(|(name, value)| {
        let value = value.to_str().ok()?;
        Some((name.to_string(), value.to_owned()))
    });
    let head = SnapshotHead {
        key: key.to_owned(),
        status: stored.answer().status().as_u16(),
        headers: headers.collect(),
        at: filled.at.as_millis(),
        turns_at: filled.turns_at.map(UnixTime::as_millis),
        is_brief: filled.is_brief,
        tags: SnapshotHead::names(&stored.metadata().dependencies),
    };
    let head = serde_json::to_vec(&head)?;
    let body = stored.answer().body();
    let lengths = SnapshotLengths {
        head: length(&head)?,
        body: length(body)?,
    };
    file.write_all(&lengths.to_bytes())?;
    file.write_all(&head)?;
    file.write_all(body)?;
    file.write_all(&snapshot_seal(&head, body))
}

fn read_one(source: &mut impl Read, largest: usize) -> io::Result<Option<(SnapshotHead, Vec<u8>)>> {
    let mut lengths = [0; 8];
    source.read_exact(&mut lengths)?;
    let lengths = SnapshotLengths::read(lengths, largest).ok_or_else(|| broken("an answer is too long"))?;
    if lengths == SnapshotLengths::END {
        return Ok(None);
    }
    let head = read_part(source, lengths.head)?;
    let body = read_part(source, lengths.body)?;
    let mut seal = snapshot_seal(&[], &[]);
    source.read_exact(&mut seal)?;
    if seal != snapshot_seal(&head, &body) {
        return Err(broken("an answer has another digest"));
    }
    Ok(Some((serde_json::from_slice(&head)?, body)))
}

fn read_part(file: &mut impl Read, length: u32) -> io::Result<Vec<u8>> {
    let mut part = vec![0; usize::try_from(length).unwrap_or_default()];
    file.read_exact(&mut part)?;
    Ok(part)
}

fn answer(head: &SnapshotHead, body: &[u8]) -> Option<WholeResponse> {
    let status = StatusCode::from_u16(head.status).ok()?;
    let headers: HeaderMap = head
        .headers
        .iter()
        .filter_map(|(name, value)| {
            let name: HeaderName = name.parse().ok()?;
            Some((name, HeaderValue::try_from(value).ok()?))
        })
        .collect();
    Some(WholeResponse::copied(status, &headers, body, AnsweredBy::Cache))
}
