//! The tables of the configuration, in the order of the reference, and the groups of settings that they fill.

use super::super::{
    AdminSettings, CacheSettings, CalendarPageSettings, CandidateSettings, CompareSettings,
    CompressionSettings, CorsSettings, CutoverRule, FeedSettings, FleetSettings, FormSettings, GuardSettings,
    IgnoreRule, Limits, LogSettings, OperationSettings, OriginSettings, RateLimits, Root, Settings,
    ShadowRule, SurfaceDefault, SurfaceRule, Timeouts, TlsSettings, unknown_origin,
};
use super::group::SettingsGroup;
use super::key::SettingKey;
use calendar_edge_judge::contract::table;

/// A table of the configuration.
pub struct Section {
    /// Its name; empty at the top of the file.
    pub name: &'static str,
    /// The subject of its keys.
    pub meaning: &'static str,
    /// The number of times that it may occur.
    pub occurs: Occurs,
    open: fn(&mut Settings, &str),
    group: OpenGroup,
}

/// The number of times that a table may occur.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occurs {
    /// Once: `[origin]`.
    Once,
    /// Once in each of the tables that it stands in: `[cutover.guard]`.
    Within,
    /// Any number of times: `[[roots]]`.
    List,
    /// Once for each name, such as this one: `[backends.next]`.
    Named(&'static str),
}

/// The group that an open table fills; of a list, the last one.
type OpenGroup = for<'a> fn(&'a mut Settings, &str) -> Option<&'a mut dyn SettingsGroup>;

/// A table that fills the group of one field of the settings.
macro_rules! once {
    ($field:ident: $group:ident) => {
        Section::once(stringify!($field), $group::MEANING, |settings, _| {
            Some(&mut settings.$field)
        })
    };
}

/// Tables that each add a group to a list of the settings.
macro_rules! list {
    ($field:ident$(.$below:ident)?: $group:ident) => {
        Section::new(
            concat!(stringify!($field) $(, ".", stringify!($below))?),
            $group::MEANING,
            Occurs::List,
            |settings, _| settings.$field$(.$below)?.push($group::default()),
            |settings, _| last(&mut settings.$field$(.$below)?),
        )
    };
}

/// Every table.
pub static SECTIONS: [Section; 27] = [
    Section::once(
        "",
        "These keys stand at the top of the file, before the first table.",
        |settings, _| Some(settings),
    ),
    once!(origin: OriginSettings),
    list!(roots: Root),
    Section::new(
        "operations",
        OperationSettings::MEANING,
        Occurs::Named("events.update"),
        |settings, name| {
            if let Some(operation) = table().named(name) {
                settings.operations.entry(operation.id).or_default();
            }
        },
        |settings, name| {
            let operation = settings.operations.get_mut(&table().named(name)?.id)?;
            Some(operation)
        },
    ),
    Section::new(
        "backends",
        CandidateSettings::MEANING,
        Occurs::Named("next"),
        |settings, name| {
            let backend = CandidateSettings::at(name.to_owned(), unknown_origin());
            settings.backends.push(backend);
        },
        |settings, _| last(&mut settings.backends),
    ),
    once!(compare: CompareSettings),
    list!(compare.ignore: IgnoreRule),
    list!(shadow: ShadowRule),
    list!(cutover: CutoverRule),
    Section::new(
        "cutover.guard",
        GuardSettings::MEANING,
        Occurs::Within,
        |settings, _| {
            if let Some(rule) = settings.cutover.last_mut() {
                rule.guard.get_or_insert_default();
            }
        },
        |settings, _| settings.cutover.last_mut().map(|rule| &mut rule.guard as _),
    ),
    once!(admin: AdminSettings),
    once!(tls: TlsSettings),
    once!(limits: Limits),
    once!(timeouts: Timeouts),
    once!(rate_limits: RateLimits),
    Section::once(
        "rate_limits.address",
        "Rates per client address. All addresses of an IPv6 /64 network share one rate. Clients of a Unix socket \
         have no address and are not limited here.",
        |settings, _| Some(&mut settings.rate_limits.address),
    ),
    Section::once(
        "rate_limits.credentials",
        "Rates per account, in addition to the rates of the address. The account is the name in Basic credentials \
         and in login cookies, whatever the case and the password; a request is charged to each account that it \
         names. All names with characters other than ASCII letters, digits, `.`, `_`, `@`, `-` and blanks share one \
         rate, and so do requests with more than four accounts. A name and the e-mail address of its account count \
         as two. Other tokens, such as Bearer, have a rate per token and client address. As with `failed_logins`, \
         Basic credentials must be exact.",
        |settings, _| Some(&mut settings.rate_limits.credentials),
    ),
    once!(cache: CacheSettings),
    once!(feed: FeedSettings),
    once!(fleet: FleetSettings),
    once!(cors: CorsSettings),
    once!(compression: CompressionSettings),
    once!(forms: FormSettings),
    once!(calendar_pages: CalendarPageSettings),
    list!(surface: SurfaceRule),
    once!(surface_default: SurfaceDefault),
    once!(log: LogSettings),
];

fn last<G: SettingsGroup>(groups: &mut [G]) -> Option<&mut dyn SettingsGroup> {
    groups.last_mut().map(|group| group as _)
}

// === impl Section ===

impl Section {
    const fn new(
        name: &'static str,
        meaning: &'static str,
        occurs: Occurs,
        open: fn(&mut Settings, &str),
        group: OpenGroup,
    ) -> Self {
        Self {
            name,
            meaning,
            occurs,
            open,
            group,
        }
    }

    const fn once(name: &'static str, meaning: &'static str, group: OpenGroup) -> Self {
        Self::new(name, meaning, Occurs::Once, |_, _| (), group)
    }

    /// The heading of its table: `[origin]`, `[[roots]]`; empty at the top of the file.
    pub fn header(&self) -> String {
        let name = self.name;
        match self.occurs {
            Occurs::Once | Occurs::Within if name.is_empty() => String::new(),
            Occurs::Once | Occurs::Within => format!("[{name}]"),
            Occurs::List => format!("[[{name}]]"),
            Occurs::Named(example) if example.contains('.') => format!("[{name}.\"{example}\"]"),
            Occurs::Named(example) => format!("[{name}.{example}]"),
        }
    }

    /// Begins a table; `name` is the last part of its heading where each has its own.
    pub fn open(&self, settings: &mut Settings, name: &str) {
        (self.open)(settings, name);
    }

    /// The group of the table that was begun last.
    pub fn group<'a>(&self, settings: &'a mut Settings, name: &str) -> Option<&'a mut dyn SettingsGroup> {
        (self.group)(settings, name)
    }

    /// A value for each of its keys, with the defaults.
    pub fn keys<R>(&self, say: impl Fn(&SettingKey<'_>) -> R) -> Vec<R> {
        let name = match self.occurs {
            Occurs::Named(example) => example,
            Occurs::Once | Occurs::Within | Occurs::List => "",
        };
        let mut fresh = Settings::default();
        if let Some(parent) = self.parent() {
            parent.open(&mut fresh, name);
        }
        self.open(&mut fresh, name);
        let Some(group) = self.group(&mut fresh, name) else {
            return Vec::new();
        };
        let names = group.names().into_iter();
        names
            .filter_map(|name| group.key(name).map(|key| say(&key)))
            .collect()
    }

    /// The names of its keys.
    pub fn names(&self) -> Vec<&'static str> {
        self.keys(|key| key.name)
    }

    /// The full name of one of its keys: `origin.url`, or `listen` at the top of the file.
    pub fn key_name(&self, name: &str) -> String {
        match self.name {
            "" => name.to_owned(),
            section => format!("{section}.{name}"),
        }
    }

    /// The section whose table is nested in this one's under a name: `[rate_limits.address]`.
    pub fn below(&self, name: &str) -> Option<&'static Section> {
        SECTIONS.iter().find(|other| other.name_below(self) == Some(name))
    }

    /// The name of its table within another table.
    pub fn name_below(&self, parent: &Section) -> Option<&'static str> {
        let name = self.name.strip_prefix(parent.name)?.strip_prefix('.')?;
        (!parent.name.is_empty()).then_some(name)
    }

    fn parent(&self) -> Option<&'static Section> {
        SECTIONS.iter().find(|other| self.name_below(other).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_key_stands_twice_in_a_section_and_each_shows_a_default() {
        for section in &SECTIONS {
            let names = section.names();
            let distinct: HashSet<_> = names.iter().collect();
            assert_eq!(distinct.len(), names.len(), "{}", section.name);
            for (name, default) in section.keys(|key| (key.name, key.default.clone())) {
                assert!(
                    !default.trim_matches('`').is_empty(),
                    "{name} of {}",
                    section.name
                );
            }
        }
    }
}
