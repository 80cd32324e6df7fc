//! The dynamic table of HPACK (RFC 7541 2.3.2 and 4): the sizes of its entries, and which are paths.

use std::collections::VecDeque;

/// The name of the field that holds the target of a request.
pub(super) const PATH: &[u8] = b":path";

/// The size of the table in bytes: the default (RFC 9113 6.5.2), because the edge announces no other.
const CAPACITY: u32 = 4096;

/// What each entry counts for beside its text (RFC 7541 4.1).
const OVERHEAD: u32 = 32;

/// The names of the static table (RFC 7541 appendix A).
const STATIC_NAMES: [&str; 61] = [
    ":authority",
    ":method",
    ":method",
    ":path",
    ":path",
    ":scheme",
    ":scheme",
    ":status",
    ":status",
    ":status",
    ":status",
    ":status",
    ":status",
    ":status",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "accept-ranges",
    "accept",
    "access-control-allow-origin",
    "age",
    "allow",
    "authorization",
    "cache-control",
    "content-disposition",
    "content-encoding",
    "content-language",
    "content-length",
    "content-location",
    "content-range",
    "content-type",
    "cookie",
    "date",
    "etag",
    "expect",
    "expires",
    "from",
    "host",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "last-modified",
    "link",
    "location",
    "max-forwards",
    "proxy-authenticate",
    "proxy-authorization",
    "range",
    "referer",
    "refresh",
    "retry-after",
    "server",
    "set-cookie",
    "strict-transport-security",
    "transfer-encoding",
    "user-agent",
    "vary",
    "via",
    "www-authenticate",
];

/// What is known of a field's name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct FieldName {
    /// The length in bytes, without the Huffman code.
    pub(super) length: u32,
    /// True for `:path`.
    pub(super) is_path: bool,
}

/// The entries that a client's references mean, without their text.
#[derive(Debug, Clone)]
pub(super) struct DynamicTable {
    /// The newest entry first: its name, and its size.
    entries: VecDeque<(FieldName, u32)>,
    size: u32,
    limit: u32,
}

// === impl DynamicTable ===

impl DynamicTable {
    pub(super) const fn new() -> Self {
        Self {
            entries: VecDeque::new(),
            size: 0,
            limit: CAPACITY,
        }
    }

    /// The name at an index of both tables, counted from 1 (RFC 7541 2.3.3).
    pub(super) fn name(&self, index: u32) -> Option<FieldName> {
        let at = usize::try_from(index.checked_sub(1)?).ok()?;
        match at.checked_sub(STATIC_NAMES.len()) {
            Some(at) => self.entries.get(at).map(|(name, _)| *name),
            None => STATIC_NAMES.get(at).map(|name| FieldName {
                length: u32::try_from(name.len()).unwrap_or(u32::MAX),
                is_path: name.as_bytes() == PATH,
            }),
        }
    }

    /// Inserts an entry with a value of so many bytes; older entries leave (RFC 7541 4.4).
    pub(super) fn insert(&mut self, name: FieldName, value: u32) {
        let size = name.length.saturating_add(value).saturating_add(OVERHEAD);
        self.shrink(self.limit.saturating_sub(size));
        if size <= self.limit {
            self.entries.push_front((name, size));
            self.size += size;
        }
    }

    /// Sets the size that the client chose; returns false if it is more than the edge allows (RFC 7541 6.3).
    pub(super) fn resize(&mut self, limit: u32) -> bool {
        self.limit = limit.min(CAPACITY);
        self.shrink(self.limit);
        limit <= CAPACITY
    }

    fn shrink(&mut self, size: u32) {
        while self.size > size {
            let Some((_, left)) = self.entries.pop_back() else {
                return;
            };
            self.size -= left;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: FieldName = FieldName {
        length: 1,
        is_path: false,
    };

    #[test]
    fn indexes_begin_with_the_static_names() {
        let mut table = DynamicTable::new();
        assert_eq!(table.name(0), None);
        for index in [4, 5] {
            assert_eq!(
                table.name(index),
                Some(FieldName {
                    length: 5,
                    is_path: true
                })
            );
        }
        assert_eq!(
            table.name(61),
            Some(FieldName {
                length: 16,
                is_path: false
            })
        );
        assert_eq!(table.name(62), None);
        table.insert(X, 1);
        table.insert(
            FieldName {
                length: 5,
                is_path: true,
            },
            1,
        );
        assert_eq!(table.name(63), Some(X), "the newest comes first");
        assert!(table.name(62).is_some_and(|name| name.is_path));
        assert_eq!(table.name(u32::MAX), None);
    }

    #[test]
    fn old_entries_leave_for_new_ones() {
        let mut table = DynamicTable::new();
        let fits = CAPACITY / (OVERHEAD + 2);
        for _ in 0..=fits {
            table.insert(X, 1);
        }
        assert_eq!(u32::try_from(table.entries.len()), Ok(fits));
        assert!(table.resize(OVERHEAD + 2));
        assert_eq!(table.entries.len(), 1);
        table.insert(X, 2);
        assert!(
            table.entries.is_empty(),
            "an entry that is too large empties the table"
        );
        assert!(!table.resize(CAPACITY + 1));
    }
}
