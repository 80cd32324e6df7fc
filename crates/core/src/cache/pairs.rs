//! The arguments of a canonical query, which the edge wrote itself.

use std::borrow::Cow;

use calendar_edge_judge::wordpress::payload::{Plus, decode};

/// Names and values of a canonical query. The name of a member of an array is the array's.
pub(super) fn pairs(query: &str) -> impl Iterator<Item = (&str, Cow<'_, [u8]>)> {
    query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let name = name.split("%5B").next().unwrap_or(name);
        (name, decode(value.as_bytes(), Plus::Space))
    })
}
