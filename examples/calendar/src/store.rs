//! The records in an `SQLite` database.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OptionalExtension as _, Params, Transaction};

use crate::columns::Row;
use crate::records::{Event, Organizer, Term, Venue};

/// The database.
#[derive(Debug)]
pub struct Store {
    connection: Mutex<Connection>,
}

/// Beside the tables of the kinds: which event names which record, how far the site was followed, and the venues that
/// were written here, in this order, for a way back.
const SCHEMA: &str = "
    CREATE INDEX IF NOT EXISTS event_start ON event (start_date, id);
    CREATE INDEX IF NOT EXISTS event_slug ON event (slug);
    CREATE VIEW IF NOT EXISTS link AS
        SELECT 'venue' AS kind, venue AS record, id AS event, status, utc_start_date FROM event
            WHERE venue IS NOT NULL
        UNION ALL
        SELECT 'organizer', value, event.id, status, utc_start_date FROM event, json_each(event.organizer);
    CREATE TABLE IF NOT EXISTS followed (one INTEGER PRIMARY KEY CHECK (one = 1), change INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS written (number INTEGER PRIMARY KEY, venue INTEGER NOT NULL, at TEXT NOT NULL);";

// === impl Store ===

impl Store {
    /// Opens a file, or makes it.
    ///
    /// # Errors
    /// When the file cannot be opened or is no database.
    pub fn open(path: &Path) -> rusqlite::Result<Self> {
        Self::with(Connection::open(path)?)
    }

    /// A database in memory.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn in_memory() -> rusqlite::Result<Self> {
        Self::with(Connection::open_in_memory()?)
    }

    fn with(connection: Connection) -> rusqlite::Result<Self> {
        make::<Event>(&connection)?;
        make::<Venue>(&connection)?;
        make::<Organizer>(&connection)?;
        make::<Term>(&connection)?;
        connection.execute_batch(SCHEMA)?;
        Ok(Self {
            connection: Mutex::new(connection),
        })
    }

    /// The connection, for reads. Calls take turns: `SQLite` answers each within a few milliseconds.
    pub(crate) fn reader(&self) -> MutexGuard<'_, Connection> {
        // SQLite undoes what a panic left unfinished.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes records, all or none.
    pub(crate) fn change<T, E: From<rusqlite::Error>>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut connection = self.reader();
        let transaction = connection.transaction()?;
        let changed = change(&transaction)?;
        transaction.commit()?;
        Ok(changed)
    }

    /// Whether the records were level with a site that tells of its changes.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn is_followed(&self) -> rusqlite::Result<bool> {
        Ok(self.followed()?.is_some())
    }

    /// The number of the site's change up to which the records are level; none before the first reading.
    pub(crate) fn followed(&self) -> rusqlite::Result<Option<u64>> {
        let connection = self.reader();
        let found = connection.query_row("SELECT change FROM followed", [], |row| row.get(0));
        found.optional()
    }

    /// Keeps that number.
    pub(crate) fn follow(&self, change: u64) -> rusqlite::Result<()> {
        let sql = "INSERT OR REPLACE INTO followed VALUES (1, ?)";
        self.reader().execute(sql, [change]).map(drop)
    }
}

fn make<R: Row>(connection: &Connection) -> rusqlite::Result<()> {
    let columns = R::COLUMNS.join(", ").replacen("id", "id INTEGER PRIMARY KEY", 1);
    connection.execute_batch(&format!("CREATE TABLE IF NOT EXISTS {} ({columns})", R::TABLE))
}

/// Stores a record in place of the one with its number.
pub(crate) fn put<R: Row>(connection: &Connection, record: &R) -> rusqlite::Result<()> {
    let places = vec!["?"; R::COLUMNS.len()].join(", ");
    let columns = R::COLUMNS.join(", ");
    let sql = format!(
        "INSERT OR REPLACE INTO {} ({columns}) VALUES ({places})",
        R::TABLE
    );
    let mut statement = connection.prepare_cached(&sql)?;
    statement.execute(record.values().as_slice()).map(drop)
}

/// Removes the record of a number, if there is one.
pub(crate) fn remove<R: Row>(connection: &Connection, id: u64) -> rusqlite::Result<()> {
    let sql = format!("DELETE FROM {} WHERE id = ?", R::TABLE);
    connection.execute(&sql, [id]).map(drop)
}

/// All records that the rest of a statement selects: `WHERE status = 'publish' ORDER BY id`.
pub(crate) fn select<R: Row>(
    connection: &Connection,
    rest: &str,
    arguments: impl Params,
) -> rusqlite::Result<Vec<R>> {
    let sql = format!("SELECT * FROM {} {rest}", R::TABLE);
    let mut statement = connection.prepare_cached(&sql)?;
    statement.query_map(arguments, R::read)?.collect()
}

/// The record of a number.
pub(crate) fn by_id<R: Row>(connection: &Connection, id: u64) -> rusqlite::Result<Option<R>> {
    Ok(select(connection, "WHERE id = ?", [id])?.pop())
}

/// Puts all terms of a taxonomy, in the order of their list, in place of those before.
pub(crate) fn put_terms(connection: &Connection, taxonomy: &str, terms: Vec<Term>) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM term WHERE taxonomy = ?", [taxonomy])?;
    for (position, term) in (0..).zip(terms) {
        put(connection, &Term { position, ..term })?;
    }
    Ok(())
}
