//! What the edge can say about one value: yes, no, or that something else decides.

/// The judgement of one value by one of PHP's or WordPress's readings.
///
/// The order of safety (decision 0001): a wrong `Reject` is the worst mistake, a wrong `Admit` the second
/// worst; `Defer` is never wrong, it only forwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The origin would take the value.
    Admit,
    /// The origin would refuse the value.
    Reject,
    /// Only something outside the edge can tell.
    Defer(Why),
}

/// What decides about a value when the edge can't.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Why {
    /// The origin's database: whether a post, term, user or attachment exists.
    Database,
    /// The origin's plugins: statuses, post types and features that they register.
    Plugin,
    /// The language of the origin's site.
    Locale,
    /// A web request that the origin makes, as for the URL of an image.
    Fetch,
    /// The origin's PHP version, its time zone data, or its clock.
    PhpBuild,
}

// === impl Verdict ===

impl Verdict {
    /// `Admit` for true, `Reject` for false.
    pub fn of(admitted: bool) -> Self {
        if admitted { Self::Admit } else { Self::Reject }
    }

    /// Whether the edge knows that the origin would refuse the value.
    pub fn is_reject(self) -> bool {
        self == Self::Reject
    }
}
