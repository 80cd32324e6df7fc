//! Flags that set a setting, and the environment variable of each.

use std::convert::Infallible;
use std::ffi::OsString;

use calendar_edge::config::{OverrideSource, Overrides};
use clap::{Arg, ArgAction, Command};

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

/// Flags whose variables clap does not read. Messages name a setting's source, and commands without its flag take its
/// variable too; `purge` takes a list of tags, and prefers flags to it.
const READ_APART: [&str; 9] = [
    "origin",
    "origin-namespace",
    "public-url",
    "namespace",
    "listen",
    "admin-listen",
    "mode",
    "tag",
    "all",
];

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

    /// True if a variable is set to a value that [`is_on`].
    pub(super) fn is_on(self, variable: &str) -> bool {
        self.text(variable).is_some_and(|value| is_on(&value))
    }
}

/// True for a value other than `0`, `false`, `no` and `off`.
fn is_on(value: &str) -> bool {
    !matches!(value.to_lowercase().as_str(), "0" | "false" | "no" | "off")
}

/// Gives each flag the variable that stands in for it: `CALENDAR_EDGE_` and its name in capitals.
pub(super) fn with_variables(command: Command) -> Command {
    command.mut_args(with_variable).mut_subcommands(with_variables)
}

fn with_variable(flag: Arg) -> Arg {
    let Some(name) = flag.get_long() else {
        return flag;
    };
    let variable = format!("CALENDAR_EDGE_{}", name.replace('-', "_").to_uppercase());
    let is_empty = std::env::var_os(&variable).is_none_or(|value| value.is_empty());
    let is_read_by_clap = !is_empty && !READ_APART.contains(&name);
    let help = flag.get_help().map(ToString::to_string).unwrap_or_default();
    let flag = flag.help(format!("{help} [env: {variable}]"));
    if !is_read_by_clap {
        return flag;
    }
    let flag = flag.env(variable).hide_env(true);
    match flag.get_action() {
        ArgAction::SetTrue => flag.value_parser(|value: &str| Ok::<_, Infallible>(is_on(value))),
        _ => flag,
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
