//! Compressed answers to clients.

/// Which answers are compressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompressionSettings {
    /// True if answers are compressed for clients that accept it.
    pub enabled: bool,
}

impl Default for CompressionSettings {
    fn default() -> Self {
        Self { enabled: true }
    }
}
