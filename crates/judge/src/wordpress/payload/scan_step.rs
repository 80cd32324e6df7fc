//! One step of the scan of a form, and why it cannot go on.

use std::borrow::Cow;

use super::multipart::MultipartError;

/// Maximum bytes of a part or pair that names a route. Web servers take no longer path.
pub(super) const ROUTE_BYTES: usize = 16 * 1024;

/// The reason why a form cannot pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FormFault {
    /// PHP could read it in another way.
    #[error("the form is not plain: {0}")]
    Multipart(#[from] MultipartError),
    /// Its `rest_route` is an array, or too long.
    #[error("the form names a route that cannot be read")]
    UnreadableRoute,
}

/// The next bytes that belong together.
pub(super) enum ScanStep<'a> {
    /// So many bytes set no `rest_route`.
    Harmless(usize),
    /// So many bytes set this one.
    Route(usize, Cow<'a, [u8]>),
    /// More must arrive first.
    Wait,
}
