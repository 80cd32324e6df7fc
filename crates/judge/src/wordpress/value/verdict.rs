//! The verdict on one value: admit, reject, or defer to the origin.

/// The verdict on one value by one rule of PHP or WordPress.
///
/// A wrong `Reject` is the worst mistake, and a wrong `Admit` the second worst. `Defer` is never wrong,
/// because it only forwards the request (decision 0001).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The origin would accept the value.
    Admit,
    /// The origin would refuse the value.
    Reject,
    /// The edge cannot decide; the origin does.
    Defer(Why),
}

/// The information that the edge lacks for a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Why {
    /// The origin's database: the existence of a post, term, user or attachment.
    Database,
    /// The origin's plugins: statuses, post types and features that they register.
    Plugin,
    /// A web request that the origin makes, for example for the URL of an image.
    Fetch,
    /// The origin's PHP version, its time zone data, or its clock.
    PhpBuild,
    /// The version of the origin's calendar plugin.
    Version,
}

// === impl Verdict ===

impl Verdict {
    /// `Admit` for true, `Reject` for false.
    pub fn of(admitted: bool) -> Self {
        if admitted { Self::Admit } else { Self::Reject }
    }

    /// True if the origin would surely refuse the value.
    pub fn is_reject(self) -> bool {
        self == Self::Reject
    }
}
