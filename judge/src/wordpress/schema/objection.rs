//! Why a value does not pass a schema: an error of WordPress, or something that only the site can decide.

/// What stands against a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SchemaObjection {
    /// WordPress refuses it.
    Refused(Box<SchemaError>),
    /// Only the site knows.
    Unsure,
}

/// An error of WordPress about one value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SchemaError {
    /// Its code, such as `rest_invalid_type`.
    pub(super) code: &'static str,
    /// Its words.
    pub(super) message: String,
    /// The parameter that its data names; only errors about types name one.
    pub(super) param: Option<String>,
}

/// The outcome of a check.
pub(super) type SchemaResult<T = ()> = Result<T, SchemaObjection>;

// === impl SchemaObjection ===

impl SchemaObjection {
    /// An error without data.
    pub(super) fn refused(code: &'static str, message: String) -> Self {
        Self::Refused(Box::new(SchemaError {
            code,
            message,
            param: None,
        }))
    }
}
