//! The records in an `SQLite` file, each as its JSON text.

use std::collections::BTreeMap;
use std::path::Path;

use calendar_edge_judge::contract::Kind;
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::outbox::{Key, Waiting};
use crate::store::{Change, Disk, Store, StoreError};

/// The file.
#[derive(Debug)]
struct File(Connection);

/// The table `outbox` has what was written here and the site does not have.
const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS record
        (kind TEXT NOT NULL, id INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS outbox
        (kind TEXT NOT NULL, id INTEGER NOT NULL, number INTEGER NOT NULL, since INTEGER NOT NULL,
        members TEXT NOT NULL, refused TEXT, PRIMARY KEY (kind, id)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS followed (one INTEGER PRIMARY KEY CHECK (one = 1), change INTEGER NOT NULL);";

/// Opens a file, or makes it.
///
/// # Errors
/// When the file cannot be opened, or has what is no record.
pub fn open(path: &Path) -> Result<Store, StoreError> {
    let connection = Connection::open(path)?;
    connection.execute_batch(SCHEMA)?;
    let records = read(&connection)?;
    let followed = connection.query_row("SELECT change FROM followed", [], |row| row.get(0));
    let followed = followed.optional()?;
    let waiting = waiting(&connection)?;
    Ok(Store::on(Box::new(File(connection)), records, followed, waiting))
}

fn waiting(connection: &Connection) -> Result<BTreeMap<Key, Waiting>, StoreError> {
    let mut statement = connection.prepare("SELECT kind, id, number, since, members, refused FROM outbox")?;
    let mut rows = statement.query([])?;
    let mut waiting = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let (kind, members): (String, String) = (row.get(0)?, row.get(4)?);
        let kept = Waiting {
            write: row.get(2)?,
            since: row.get(3)?,
            members: members.split(',').map(str::to_owned).collect(),
            refused: row.get(5)?,
            ..Waiting::default()
        };
        if let Some(kind) = kind_of(&kind) {
            waiting.insert((kind, row.get(1)?), kept);
        }
    }
    Ok(waiting)
}

fn kind_of(collection: &str) -> Option<Kind> {
    Kind::ALL
        .into_iter()
        .find(|known| known.collection() == collection)
}

fn read(connection: &Connection) -> Result<Vec<Change>, StoreError> {
    let mut statement = connection.prepare("SELECT kind, id, body FROM record")?;
    let mut rows = statement.query([])?;
    let mut records = Vec::new();
    while let Some(row) = rows.next()? {
        let (kind, body): (String, String) = (row.get(0)?, row.get(2)?);
        let record = serde_json::from_str(&body).map_err(|error| StoreError::Disk(error.to_string()))?;
        if let Some(kind) = kind_of(&kind) {
            records.push(Change {
                kind,
                id: row.get(1)?,
                record: Some(record),
            });
        }
    }
    Ok(records)
}

// === impl File ===

impl Disk for File {
    fn write(&mut self, changes: &[Change], outbox: &[(Key, Option<Waiting>)]) -> Result<(), StoreError> {
        let transaction = self.0.transaction()?;
        for Change { kind, id, record } in changes {
            let kind = kind.collection();
            if let Some(record) = record {
                let body = serde_json::Value::from(record.clone()).to_string();
                let put = "INSERT OR REPLACE INTO record VALUES (?, ?, ?)";
                transaction
                    .prepare_cached(put)?
                    .execute(params![kind, id, body])?;
            } else {
                let remove = "DELETE FROM record WHERE kind = ? AND id = ?";
                transaction.prepare_cached(remove)?.execute(params![kind, id])?;
            }
        }
        for ((kind, id), waiting) in outbox {
            let kind = kind.collection();
            if let Some(kept) = waiting {
                let members: Vec<&str> = kept.members.iter().map(String::as_str).collect();
                let row = params![kind, id, kept.write, kept.since, members.join(","), kept.refused];
                let put = "INSERT OR REPLACE INTO outbox VALUES (?, ?, ?, ?, ?, ?)";
                transaction.prepare_cached(put)?.execute(row)?;
            } else {
                let remove = "DELETE FROM outbox WHERE kind = ? AND id = ?";
                transaction.prepare_cached(remove)?.execute(params![kind, id])?;
            }
        }
        Ok(transaction.commit()?)
    }

    fn follow(&mut self, change: u64) -> Result<(), StoreError> {
        let sql = "INSERT OR REPLACE INTO followed VALUES (1, ?)";
        Ok(self.0.execute(sql, [change]).map(drop)?)
    }
}

// === impl StoreError ===

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Disk(error.to_string())
    }
}
