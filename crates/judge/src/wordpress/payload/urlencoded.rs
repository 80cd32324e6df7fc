//! Reads an urlencoded form pair by pair, whole or while it comes, and finds `rest_route` in it.

use super::form_fault::FormFault;
use super::multipart::Arrival;
use super::percent::{Plus, decode};
use super::rest_route::REST_ROUTE;
use super::scan_step::{ROUTE_BYTES, ScanStep};
use super::variable_names::VariableName;

/// Bytes of a name that suffice to distinguish it from `rest_route`: that name with every byte escaped, and some more.
const NAME_BYTES: usize = 64;

/// The place in a form at which the next bytes stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PairPlace {
    /// The beginning of a pair.
    Name,
    /// A pair of another name, up to its end.
    Rest,
}

/// The bytes of a pair's name, and its end.
enum Name<'a> {
    /// It ends before a value.
    Assigned(&'a [u8]),
    /// It ends without one.
    Bare(&'a [u8]),
    /// It is longer than needed.
    Long(&'a [u8]),
    /// Its end must arrive first.
    Cut,
}

/// The next bytes that belong together; every pair counts, however many a site reads.
pub(super) fn step(
    place: PairPlace,
    bytes: &[u8],
    arrival: Arrival,
) -> Result<(ScanStep<'_>, PairPlace), FormFault> {
    match place {
        PairPlace::Rest => Ok(rest_of_pair(bytes)),
        PairPlace::Name => pair(bytes, arrival),
    }
}

fn rest_of_pair(bytes: &[u8]) -> (ScanStep<'_>, PairPlace) {
    match memchr::memchr(b'&', bytes) {
        Some(end) => (ScanStep::Harmless(end + 1), PairPlace::Name),
        None => (ScanStep::Harmless(bytes.len()), PairPlace::Rest),
    }
}

fn pair(bytes: &[u8], arrival: Arrival) -> Result<(ScanStep<'_>, PairPlace), FormFault> {
    // PHP drops blanks before a name, however many.
    let blanks = leading_blanks(bytes);
    if blanks > 0 {
        return Ok((ScanStep::Harmless(blanks), PairPlace::Name));
    }
    match name(bytes, arrival) {
        Name::Cut => Ok((ScanStep::Wait, PairPlace::Name)),
        Name::Long(start) if may_be_route(start) => Err(FormFault::UnreadableRoute),
        Name::Long(start) => Ok((ScanStep::Harmless(start.len()), PairPlace::Rest)),
        Name::Assigned(name) if !is_route(name)? => Ok((ScanStep::Harmless(name.len() + 1), PairPlace::Rest)),
        Name::Bare(name) if !is_route(name)? => {
            let length = bytes.len().min(name.len() + 1);
            Ok((ScanStep::Harmless(length), PairPlace::Name))
        }
        Name::Assigned(name) => route(bytes, name.len() + 1, arrival),
        Name::Bare(name) => route(bytes, name.len(), arrival),
    }
}

/// The route in a pair whose name has this length.
fn route(bytes: &[u8], from: usize, arrival: Arrival) -> Result<(ScanStep<'_>, PairPlace), FormFault> {
    let end = memchr::memchr(b'&', bytes);
    match (end, arrival) {
        (None, Arrival::Partial) if bytes.len() <= ROUTE_BYTES => {
            return Ok((ScanStep::Wait, PairPlace::Name));
        }
        (None, Arrival::Partial) => return Err(FormFault::UnreadableRoute),
        _ => {}
    }
    let value = bytes.get(from..end.unwrap_or(bytes.len())).unwrap_or_default();
    let length = end.map_or(bytes.len(), |end| end + 1);
    Ok((
        ScanStep::Route(length, decode(value, Plus::Space)),
        PairPlace::Name,
    ))
}

fn name(bytes: &[u8], arrival: Arrival) -> Name<'_> {
    let window = bytes.get(..NAME_BYTES).unwrap_or(bytes);
    match memchr::memchr2(b'=', b'&', window) {
        Some(end) => {
            let (name, behind) = window.split_at(end);
            match behind {
                [b'=', ..] => Name::Assigned(name),
                _ => Name::Bare(name),
            }
        }
        None if bytes.len() >= NAME_BYTES => Name::Long(without_cut_escape(window)),
        None if arrival == Arrival::Whole => Name::Bare(window),
        None => Name::Cut,
    }
}

/// Returns true for a `rest_route` that is no array.
fn is_route(name: &[u8]) -> Result<bool, FormFault> {
    match VariableName::read(&decode(name, Plus::Space)) {
        Some(name) if name.is_of(REST_ROUTE) && name.is_plain() => Ok(true),
        Some(name) if name.is_of(REST_ROUTE) => Err(FormFault::UnreadableRoute),
        _ => Ok(false),
    }
}

/// Returns true if a name with this start may be `rest_route`: a NUL ends it, or brackets follow.
fn may_be_route(start: &[u8]) -> bool {
    let decoded = decode(start, Plus::Space);
    let base = decoded.split(|&byte| byte == 0).next().unwrap_or_default();
    let is_whole = base.len() < decoded.len();
    match base.split_at_checked(REST_ROUTE.len()) {
        Some((base, behind)) => {
            let is_named = VariableName::read(base).is_some_and(|name| name.is_of(REST_ROUTE));
            is_named && (is_whole && behind.is_empty() || behind.starts_with(b"["))
        }
        None => false,
    }
}

/// The number of bytes that PHP reads as blanks.
fn leading_blanks(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    loop {
        rest = match rest {
            [b' ' | b'+', behind @ ..] | [b'%', b'2', b'0', behind @ ..] => behind,
            _ => return bytes.len() - rest.len(),
        }
    }
}

/// The bytes before an escape of which a digit may be missing.
fn without_cut_escape(window: &[u8]) -> &[u8] {
    match window {
        [start @ .., b'%'] | [start @ .., b'%', _] => start,
        whole => whole,
    }
}
