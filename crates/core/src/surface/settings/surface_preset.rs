//! Presets of surface rules: the doors of the site that belong to one subject.

use super::RoutePattern;

/// Doors of the site that belong to one subject.
#[derive(Debug, PartialEq, Eq)]
pub struct SurfacePreset {
    /// The name in settings.
    pub name: &'static str,
    /// Its doors.
    pub doors: &'static [SiteDoor],
}

/// One way by which clients reach a function of the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiteDoor {
    /// REST routes, as a pattern.
    Route(&'static str),
    /// A script, by its name in lower case.
    Script(&'static str),
    /// Pages whose last segment has this beginning and this end.
    PageNamed(&'static str, &'static str),
    /// Pages of which query or form sets this variable, to this value or to any.
    PageWith(&'static str, Option<&'static str>),
    /// Calls of these methods to `xmlrpc.php`.
    Calls(&'static [&'static str]),
}

/// Every preset.
pub static SURFACE_PRESETS: [SurfacePreset; 7] = [
    SurfacePreset {
        name: "users",
        doors: &[
            SiteDoor::Route("wp/v2/users"),
            SiteDoor::Route("wp/v2/users/*"),
            // `?author=7` redirects to a page whose address has the name.
            SiteDoor::PageWith("author", None),
            // The address of the sitemap is another spelling of this variable.
            SiteDoor::PageNamed("wp-sitemap-users-", ".xml"),
            SiteDoor::PageWith("sitemap", Some("users")),
        ],
    },
    SurfacePreset {
        name: "batch",
        doors: &[SiteDoor::Route("batch/v1"), SiteDoor::Route("batch/v1/*")],
    },
    SurfacePreset {
        name: "xmlrpc",
        doors: &[SiteDoor::Script("xmlrpc.php")],
    },
    SurfacePreset {
        name: "xmlrpc-multicall",
        doors: &[SiteDoor::Calls(&["system.multicall", "pingback.ping"])],
    },
    SurfacePreset {
        name: "login",
        doors: &[SiteDoor::Script("wp-login.php")],
    },
    SurfacePreset {
        name: "tec/v1",
        doors: &[SiteDoor::Route("tec/v1"), SiteDoor::Route("tec/v1/*")],
    },
    SurfacePreset {
        name: "tickets",
        doors: &[
            SiteDoor::Route("tribe/tickets/v1"),
            SiteDoor::Route("tribe/tickets/v1/*"),
        ],
    },
];

// === impl SiteDoor ===

impl SiteDoor {
    /// The pattern of its routes; none for another door.
    pub(super) fn route(&self) -> Option<RoutePattern> {
        match self {
            Self::Route(text) => RoutePattern::parse(text),
            Self::Script(_) | Self::PageNamed(..) | Self::PageWith(..) | Self::Calls(_) => None,
        }
    }
}

// === impl SurfacePreset ===

impl SurfacePreset {
    /// The preset with a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        SURFACE_PRESETS.iter().find(|preset| preset.name == name)
    }
}
