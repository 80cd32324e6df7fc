//! Structs that are rows: one list of fields is the struct, the table and the record of the API.

use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A row of a table.
pub(crate) trait Row: Sized {
    /// The name of the table.
    const TABLE: &'static str;
    /// The names of the columns; `id` is the key.
    const COLUMNS: &'static [&'static str];

    /// Reads a row.
    fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self>;

    /// The values, in the order of the columns.
    fn values(&self) -> Vec<&dyn ToSql>;
}

/// A list or a document in one column.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Json<T>(pub(crate) T);

/// Defines a struct whose fields are the columns of a table, and the members of a record.
macro_rules! table {
    ($(#[$about:meta])* $name:ident in $table:literal { $($(#[$attribute:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        #[allow(clippy::struct_field_names, reason = "the names are those of the API")]
        pub(crate) struct $name {
            $($(#[$attribute])* pub(crate) $field: $type,)*
        }

        impl $crate::columns::Row for $name {
            const TABLE: &'static str = $table;
            const COLUMNS: &'static [&'static str] = &[$(stringify!($field)),*];

            fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
                Ok(Self { $($field: row.get(stringify!($field))?,)* })
            }

            fn values(&self) -> Vec<&dyn rusqlite::ToSql> {
                vec![$(&self.$field),*]
            }
        }
    };
}
pub(crate) use table;

impl<T: Serialize> ToSql for Json<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let text = serde_json::to_string(&self.0);
        text.map(ToSqlOutput::from)
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
    }
}

impl<T: DeserializeOwned> FromSql for Json<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let parsed = serde_json::from_str(value.as_str()?);
        parsed
            .map(Self)
            .map_err(|error| FromSqlError::Other(error.into()))
    }
}
