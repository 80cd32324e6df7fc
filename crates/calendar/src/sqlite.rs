//! The records in an `SQLite` file, each as its JSON text.

use std::path::Path;

use calendar_edge_judge::contract::Kind;
use rusqlite::{Connection, OptionalExtension as _, Transaction, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

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
        (kind TEXT NOT NULL, id INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS followed (one INTEGER PRIMARY KEY CHECK (one = 1), change INTEGER NOT NULL);";

/// Opens a file, or makes it.
///
/// # Errors
/// When the file cannot be opened, or has what is no record.
pub fn open(path: &Path) -> Result<Store, StoreError> {
    let connection = Connection::open(path)?;
    connection.execute_batch(SCHEMA)?;
    let (records, waiting) = (rows(&connection, "record")?, rows(&connection, "outbox")?);
    let followed = connection.query_row("SELECT change FROM followed", [], |row| row.get(0));
    let followed = followed.optional()?;
    Ok(Store::on(Box::new(File(connection)), records, followed, waiting))
}

/// The rows of a table, by kind and number.
fn rows<T: DeserializeOwned, C: FromIterator<(Key, T)>>(
    connection: &Connection,
    table: &str,
) -> Result<C, StoreError> {
    let mut statement = connection.prepare(&format!("SELECT kind, id, body FROM {table}"))?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let (kind, body): (String, String) = (row.get(0)?, row.get(2)?);
        let value = serde_json::from_str(&body).map_err(|error| StoreError::Disk(error.to_string()))?;
        if let Some(kind) = Kind::ALL.into_iter().find(|known| known.collection() == kind) {
            found.push(((kind, row.get(1)?), value));
        }
    }
    Ok(found.into_iter().collect())
}

/// Puts a value in place of a row; none removes the row.
fn put<T: Serialize>(
    transaction: &Transaction<'_>,
    table: &str,
    (kind, id): Key,
    value: Option<&T>,
) -> Result<(), StoreError> {
    let kind = kind.collection();
    let mut run = match value {
        Some(_) => transaction.prepare_cached(&format!("INSERT OR REPLACE INTO {table} VALUES (?, ?, ?)"))?,
        None => transaction.prepare_cached(&format!("DELETE FROM {table} WHERE kind = ? AND id = ?"))?,
    };
    let body = value.map(serde_json::to_string).transpose();
    let body = body.map_err(|error| StoreError::Disk(error.to_string()))?;
    Ok(match body {
        Some(body) => run.execute(params![kind, id, body]),
        None => run.execute(params![kind, id]),
    }
    .map(drop)?)
}

// === impl File ===

impl Disk for File {
    fn write(&mut self, changes: &[Change], outbox: &[(Key, Option<Waiting>)]) -> Result<(), StoreError> {
        let transaction = self.0.transaction()?;
        for Change { kind, id, record } in changes {
            put(&transaction, "record", (*kind, *id), record.as_ref())?;
        }
        for (key, waiting) in outbox {
            put(&transaction, "outbox", *key, waiting.as_ref())?;
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
