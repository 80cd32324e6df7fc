//! Venues in an `SQLite` database.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OptionalExtension as _, Params, named_params, params};

use crate::query::VenueQuery;

/// What the site publishes about one venue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Venue {
    /// The number of the post.
    pub id: u64,
    /// The slug of the post.
    pub slug: String,
    /// The publication date, which orders lists: `2026-10-22 14:52:00`.
    pub date: String,
    /// The texts that a search looks at, in lower case.
    pub searched: String,
    /// The record in a list, JSON.
    pub listed: String,
    /// The record on its own, JSON.
    pub read: String,
}

/// An event that takes place at a venue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Booking {
    /// The event.
    pub event: u64,
    /// Its venue.
    pub venue: u64,
    /// Its start in UTC: `2026-12-01 18:00:00`.
    pub starts: String,
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The records, JSON.
    pub records: Vec<String>,
    /// The number of records on all pages.
    pub total: u64,
    /// The number of pages.
    pub pages: u64,
}

/// The database; a copy of what the site publishes.
#[derive(Debug)]
pub struct Store {
    connection: Mutex<Connection>,
}

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS venue (
        id INTEGER PRIMARY KEY, slug TEXT NOT NULL, date TEXT NOT NULL,
        searched TEXT NOT NULL, listed TEXT NOT NULL, read TEXT NOT NULL);
    CREATE INDEX IF NOT EXISTS venue_slug ON venue (slug);
    CREATE TABLE IF NOT EXISTS booking (
        event INTEGER PRIMARY KEY, venue INTEGER NOT NULL, starts TEXT NOT NULL);
    CREATE INDEX IF NOT EXISTS booking_venue ON booking (venue);";

const LIST: &str = "
    SELECT searched, listed FROM venue
    WHERE (:event IS NULL OR EXISTS (SELECT 1 FROM booking WHERE venue = venue.id AND event = :event))
      AND (:has_events IS NULL OR :has_events = EXISTS (SELECT 1 FROM booking WHERE venue = venue.id))
      AND (NOT :upcoming OR EXISTS (SELECT 1 FROM booking WHERE venue = venue.id AND starts >= datetime('now')))
    ORDER BY date DESC, id DESC";

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
        connection.execute_batch(SCHEMA)?;
        Ok(Self {
            connection: Mutex::new(connection),
        })
    }

    /// Puts a new copy in the place of the old one, whole or not at all.
    ///
    /// # Errors
    /// When the database cannot be written; the old copy stays.
    pub fn replace(&self, venues: &[Venue], bookings: &[Booking]) -> rusqlite::Result<()> {
        let mut connection = self.connection();
        let transaction = connection.transaction()?;
        transaction.execute_batch("DELETE FROM venue; DELETE FROM booking;")?;
        for venue in venues {
            transaction.execute(
                "INSERT INTO venue VALUES (?, ?, ?, ?, ?, ?)",
                params![
                    venue.id,
                    venue.slug,
                    venue.date,
                    venue.searched,
                    venue.listed,
                    venue.read
                ],
            )?;
        }
        for booking in bookings {
            transaction.execute(
                "INSERT INTO booking VALUES (?, ?, ?)",
                params![booking.event, booking.venue, booking.starts],
            )?;
        }
        transaction.commit()
    }

    /// One page of the venues that a query asks for, the newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn list(&self, query: &VenueQuery) -> rusqlite::Result<Page> {
        let all = self.matching(query)?;
        let words = query.words();
        let finds = |searched: &str| words.iter().all(|word| searched.contains(word.as_str()));
        let found: Vec<String> = all
            .iter()
            .filter(|(searched, _)| finds(searched))
            .map(|(_, listed)| listed.clone())
            .collect();
        // The plugin shows nothing for a search without a match, and counts every venue.
        let total = if found.is_empty() { all.len() } else { found.len() };
        let total = u64::try_from(total).unwrap_or(u64::MAX);
        let size = query.page_size();
        let skipped = usize::try_from(size.saturating_mul(query.page - 1)).unwrap_or(usize::MAX);
        let most = usize::try_from(size).unwrap_or(usize::MAX);
        Ok(Page {
            records: found.into_iter().skip(skipped).take(most).collect(),
            total,
            pages: total.div_ceil(size),
        })
    }

    /// The text that a search looks at and the record, of all venues that a query asks for without its search.
    fn matching(&self, query: &VenueQuery) -> rusqlite::Result<Vec<(String, String)>> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(LIST)?;
        let arguments = named_params! {
            ":event": query.event,
            ":has_events": query.wants_events(),
            ":upcoming": query.wants_upcoming(),
        };
        let rows = statement.query_map(arguments, |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect()
    }

    /// The record with a number, JSON.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn by_id(&self, id: u64) -> rusqlite::Result<Option<String>> {
        self.one("SELECT read FROM venue WHERE id = ?", [id])
    }

    /// The record with a slug, JSON.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn by_slug(&self, slug: &str) -> rusqlite::Result<Option<String>> {
        self.one(
            "SELECT read FROM venue WHERE slug = ? ORDER BY id LIMIT 1",
            [slug],
        )
    }

    fn one(&self, sql: &str, arguments: impl Params) -> rusqlite::Result<Option<String>> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(sql)?;
        statement.query_row(arguments, |row| row.get(0)).optional()
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        // SQLite undoes what a panic left unfinished.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
