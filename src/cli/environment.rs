//! Flags that set a setting, and the environment variable of each.

use std::ffi::OsString;

use calendar_edge::config::{OverrideSource, Overrides};

/// A flag that sets one setting.
pub(super) struct SettingFlag {
    pub(super) key: &'static str,
    flag: &'static str,
    pub(super) variable: &'static str,
}

const fn setting(key: &'static str, flag: &'static str, variable: &'static str) -> SettingFlag {
    SettingFlag { key, flag, variable }
}

pub(super) const ORIGIN: SettingFlag = setting("origin.url", "--origin", "CALENDAR_EDGE_ORIGIN");
pub(super) const ORIGIN_NAMESPACE: SettingFlag = setting(
    "origin.namespace",
    "--origin-namespace",
    "CALENDAR_EDGE_ORIGIN_NAMESPACE",
);
pub(super) const PUBLIC_URL: SettingFlag = setting("public_url", "--public-url", "CALENDAR_EDGE_PUBLIC_URL");
pub(super) const NAMESPACE: SettingFlag = setting("namespaces", "--namespace", "CALENDAR_EDGE_NAMESPACE");
pub(super) const LISTEN: SettingFlag = setting("listen", "--listen", "CALENDAR_EDGE_LISTEN");
pub(super) const ADMIN_LISTEN: SettingFlag =
    setting("admin.listen", "--admin-listen", "CALENDAR_EDGE_ADMIN_LISTEN");
pub(super) const MODE: SettingFlag = setting("mode", "--mode", "CALENDAR_EDGE_MODE");

/// The variable that names the configuration file.
pub(super) const CONFIG: &str = "CALENDAR_EDGE_CONFIG";

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
}

/// Typed values, and variables in place of those that are not typed. Messages name the source of each.
pub(super) fn overrides<'a>(
    pairs: impl IntoIterator<Item = (SettingFlag, Option<&'a str>)>,
    environment: Environment<'_>,
) -> Overrides {
    let mut overrides = Overrides::default();
    for (setting, typed) in pairs {
        if let Some(text) = typed {
            overrides = overrides.with(setting.key, OverrideSource::Flag(setting.flag), text);
        } else if let Some(value) = environment.text(setting.variable) {
            let source = OverrideSource::Environment(setting.variable);
            overrides = overrides.with(setting.key, source, value);
        }
    }
    overrides
}
