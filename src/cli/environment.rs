//! Flags that set a setting, and the environment variable of each.

use std::ffi::OsString;

use calendar_edge::config::{OverrideSource, Overrides};

/// A flag that sets one setting.
pub(super) struct SettingFlag {
    pub(super) key: &'static str,
    pub(super) flag: &'static str,
    pub(super) variable: &'static str,
}

pub(super) const ORIGIN: SettingFlag = SettingFlag {
    key: "origin.url",
    flag: "--origin",
    variable: "CALENDAR_EDGE_ORIGIN",
};
pub(super) const ORIGIN_NAMESPACE: SettingFlag = SettingFlag {
    key: "origin.namespace",
    flag: "--origin-namespace",
    variable: "CALENDAR_EDGE_ORIGIN_NAMESPACE",
};
pub(super) const PUBLIC_URL: SettingFlag = SettingFlag {
    key: "public_url",
    flag: "--public-url",
    variable: "CALENDAR_EDGE_PUBLIC_URL",
};
pub(super) const NAMESPACE: SettingFlag = SettingFlag {
    key: "namespaces",
    flag: "--namespace",
    variable: "CALENDAR_EDGE_NAMESPACE",
};
pub(super) const LISTEN: SettingFlag = SettingFlag {
    key: "listen",
    flag: "--listen",
    variable: "CALENDAR_EDGE_LISTEN",
};
pub(super) const ADMIN_LISTEN: SettingFlag = SettingFlag {
    key: "admin.listen",
    flag: "--admin-listen",
    variable: "CALENDAR_EDGE_ADMIN_LISTEN",
};
pub(super) const MODE: SettingFlag = SettingFlag {
    key: "mode",
    flag: "--mode",
    variable: "CALENDAR_EDGE_MODE",
};

/// The environment; an empty variable counts as not set.
#[derive(Clone, Copy)]
pub(super) struct Environment<'a>(&'a dyn Fn(&str) -> Option<OsString>);

// === impl Environment ===

impl<'a> Environment<'a> {
    /// An environment that is read through `lookup`.
    pub(super) const fn new(lookup: &'a dyn Fn(&str) -> Option<OsString>) -> Self {
        Self(lookup)
    }

    /// The value of a variable.
    pub(super) fn get(self, variable: &str) -> Option<OsString> {
        (self.0)(variable).filter(|value| !value.is_empty())
    }

    /// The value of a variable as text.
    pub(super) fn text(self, variable: &str) -> Option<String> {
        self.get(variable)
            .map(|value| value.to_string_lossy().into_owned())
    }

    /// True if a variable is set to a value other than `0`, `false`, `no` and `off`.
    pub(super) fn is_on(self, variable: &str) -> bool {
        let value = self
            .get(variable)
            .map(|value| value.to_string_lossy().to_lowercase());
        value.is_some_and(|value| !matches!(value.as_str(), "0" | "false" | "no" | "off"))
    }
}

pub(super) fn overrides<'a>(
    pairs: impl IntoIterator<Item = (SettingFlag, Option<&'a str>)>,
    environment: Environment<'_>,
) -> Overrides {
    let mut overrides = Overrides::default();
    for (setting, typed) in pairs {
        if let Some(text) = typed {
            overrides = overrides.with(setting.key, OverrideSource::Flag(setting.flag), text);
        } else if let Some(value) = environment.get(setting.variable) {
            let source = OverrideSource::Environment(setting.variable);
            overrides = overrides.with(setting.key, source, value.to_string_lossy());
        }
    }
    overrides
}
