//! One step of the scan of a form.

use std::borrow::Cow;

/// Maximum bytes of a part or pair that names a route. Web servers take no longer path.
pub(super) const ROUTE_BYTES: usize = 16 * 1024;

/// The next bytes that belong together.
pub(super) enum ScanStep<'a> {
    /// So many bytes set no `rest_route`.
    Harmless(usize),
    /// So many bytes set this one.
    Route(usize, Cow<'a, [u8]>),
    /// More must arrive first.
    Wait,
}
