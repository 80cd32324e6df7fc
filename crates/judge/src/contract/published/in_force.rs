//! The table in force: the table with a site's index laid over it.

mod in_version;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, LazyLock};

use super::super::argument::{Argument, Role};
use super::super::event_ids::EventIds;
use super::super::global::{NEVER_FORWARDED, global, read_by_backend};
use super::super::operation::Operation;
use super::super::table::table;
use super::super::versions::{PluginVersion, SiteVersion, is_younger};
use super::index::PublishedIndex;

/// The table that calls of one site are judged by.
///
/// It is formed once, when an index arrives; the judge reads it without a search.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TableInForce {
    /// By the position of the operation in the table.
    operations: Vec<OperationInForce>,
    /// The version of the site's plugin as far as it is known.
    pub site_version: SiteVersion,
    /// The version whose contract clients get, if it is not the site's own.
    pub wanted: Option<PluginVersion>,
    /// The check of single events' ids in the version that calls are judged as; none: not known.
    pub event_ids: Option<EventIds>,
    /// True if an index of the site was read, now or earlier.
    pub is_read: bool,
}

/// One operation of a table in force.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OperationInForce {
    position: usize,
    /// By the position of the argument in the operation.
    standings: Vec<ArgumentStanding>,
    /// The arguments that only the site has.
    extra: Vec<Box<str>>,
    /// True until the index is read: the site may have any further argument.
    is_open: bool,
}

/// The tables in force of all REST roots.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TablesInForce {
    by_root: Vec<Arc<TableInForce>>,
}

/// The standing of an argument of the table in the table in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArgumentStanding {
    /// It is judged.
    Judged,
    /// The site does not publish it: it is forwarded and not judged by WordPress's rules.
    Unjudged,
    /// The version whose contract clients get does not have it: it is left out, as that version would ignore it.
    Dropped,
    /// Older versions of the plugin do not have it, and what the site has is not known: what the table refuses is left
    /// to the site.
    Unsure,
}

static UNREAD: LazyLock<Arc<TableInForce>> = LazyLock::new(|| {
    let operations = table().operations().iter().map(OperationInForce::unread);
    Arc::new(TableInForce {
        operations: operations.collect(),
        site_version: SiteVersion::UNKNOWN,
        wanted: None,
        event_ids: None,
        is_read: false,
    })
});

static AWAITED: LazyLock<Arc<TableInForce>> = LazyLock::new(|| {
    let operations = table().operations().iter().map(OperationInForce::awaited);
    Arc::new(TableInForce {
        operations: operations.collect(),
        ..(**UNREAD).clone()
    })
});

// === impl TableInForce ===

impl TableInForce {
    /// The table of a site that publishes no index: every argument that all versions of the plugin have is judged, and
    /// the version is unknown.
    pub fn unread() -> Arc<Self> {
        Arc::clone(&UNREAD)
    }

    /// The table of a site that has not responded yet. Rules that its index could contradict are left to the site:
    /// arguments that are not required, and those that only the site may have.
    pub fn awaited() -> Arc<Self> {
        Arc::clone(&AWAITED)
    }

    /// The table with an index over it. Operations that the index does not publish stay as without one.
    pub fn over(index: &PublishedIndex) -> Self {
        let operations = table().operations().iter();
        Self {
            operations: operations
                .map(|operation| OperationInForce::over(operation, index))
                .collect(),
            site_version: SiteVersion::of(index),
            event_ids: SiteVersion::of(index).event_ids(),
            wanted: None,
            is_read: true,
        }
    }

    /// The operation in force for an operation of the table.
    pub fn operation(&self, operation: &Operation) -> &OperationInForce {
        static NONE: OperationInForce = OperationInForce {
            position: 0,
            standings: Vec::new(),
            extra: Vec::new(),
            is_open: false,
        };
        self.operations.get(operation.position).unwrap_or(&NONE)
    }

    /// A number that differs for different tables in force, for keys of caches within one process.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }

    /// The differences from the table in words, grouped by argument: first those that the site does not publish (`-`, not
    /// judged, forwarded), then those that the table does not have (`+`, forwarded unjudged in the compatible profile).
    pub fn differences(&self) -> Vec<String> {
        let mut unpublished: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut extra: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (operation, in_force) in table().operations().iter().zip(&self.operations) {
            for argument in in_force.unjudged(operation) {
                unpublished
                    .entry(argument.name)
                    .or_default()
                    .push(&operation.name);
            }
            for name in in_force.extra() {
                extra.entry(name).or_default().push(&operation.name);
            }
        }
        let unpublished = unpublished.into_iter().map(|found| difference('-', found));
        unpublished
            .chain(extra.into_iter().map(|found| difference('+', found)))
            .collect()
    }

    /// The table of this one and another, for one description of both: an argument is unjudged if it is in both, and
    /// extra if it is in one.
    #[must_use]
    fn joined(&self, other: &Self) -> Self {
        let pairs = self.operations.iter().zip(&other.operations);
        let join = |(ours, theirs): (&OperationInForce, &OperationInForce)| {
            let standings = ours.standings.iter().zip(&theirs.standings);
            let mut extra = ours.extra.clone();
            extra.extend(
                theirs
                    .extra
                    .iter()
                    .filter(|name| !ours.extra.contains(name))
                    .cloned(),
            );
            OperationInForce {
                position: ours.position,
                standings: standings.map(join_standings).collect(),
                extra,
                is_open: ours.is_open || theirs.is_open,
            }
        };
        let is_same = self.site_version == other.site_version;
        Self {
            operations: pairs.map(join).collect(),
            site_version: if is_same {
                self.site_version
            } else {
                SiteVersion::UNKNOWN
            },
            event_ids: self.event_ids.filter(|ids| other.event_ids == Some(*ids)),
            wanted: self.wanted.filter(|wanted| other.wanted == Some(*wanted)),
            is_read: self.is_read || other.is_read,
        }
    }
}

// === impl OperationInForce ===

impl OperationInForce {
    fn unread(operation: &Operation) -> Self {
        Self {
            position: operation.position,
            standings: standings(operation, |argument| {
                ArgumentStanding::unsure_if(is_younger(&operation.name, argument.name))
            }),
            extra: Vec::new(),
            is_open: false,
        }
    }

    /// An index without a required argument does not count, and none suspends the edge's own rules.
    fn awaited(operation: &Operation) -> Self {
        Self {
            standings: standings(operation, |argument| {
                ArgumentStanding::unsure_if(!argument.is_required && !is_the_edges_own(operation, argument))
            }),
            is_open: true,
            ..Self::unread(operation)
        }
    }

    fn over(operation: &Operation, index: &PublishedIndex) -> Self {
        let mut this = Self::unread(operation);
        let Some(published) = index.arguments(operation) else {
            return this;
        };
        let published: Vec<&str> = published.collect();
        this.standings = standings(operation, |argument| {
            if published.contains(&argument.name) || is_the_edges_own(operation, argument) {
                ArgumentStanding::Judged
            } else {
                ArgumentStanding::Unjudged
            }
        });
        let extra = published.into_iter().filter(|name| is_extra(operation, name));
        this.extra = extra.map(Box::from).collect();
        this
    }

    /// The standing of the argument at a position of the operation.
    pub fn standing(&self, position: usize) -> ArgumentStanding {
        let standing = self.standings.get(position);
        standing.copied().unwrap_or(ArgumentStanding::Judged)
    }

    fn arguments<'a>(
        &self,
        operation: &'a Operation,
    ) -> impl Iterator<Item = (&'a Argument, ArgumentStanding)> {
        operation.arguments.iter().zip(self.standings.iter().copied())
    }

    /// The arguments of its operation that are not judged, and those that are dropped.
    pub fn unjudged<'a>(&self, operation: &'a Operation) -> impl Iterator<Item = &'a Argument> {
        let is_unjudged =
            |standing| matches!(standing, ArgumentStanding::Unjudged | ArgumentStanding::Dropped);
        let arguments = self.arguments(operation);
        arguments.filter_map(move |(argument, standing)| is_unjudged(standing).then_some(argument))
    }

    /// Returns true if an argument of its operation is left out of what is forwarded.
    pub fn drops(&self, operation: &Operation, argument: &str) -> bool {
        let mut arguments = self.arguments(operation);
        arguments.any(|(known, standing)| known.name == argument && standing == ArgumentStanding::Dropped)
    }

    /// The names that only the site publishes, plain and bounded: none is a global parameter of WordPress.
    pub fn extra(&self) -> impl Iterator<Item = &str> {
        self.extra.iter().map(|name| &**name)
    }

    /// Returns true if only the site publishes this name, or may do so as far as is known yet.
    pub fn has_extra(&self, name: &[u8]) -> bool {
        let may_be_published = || {
            let operation = table().operations().get(self.position);
            let name = str::from_utf8(name).unwrap_or_default();
            operation.is_some_and(|operation| is_extra(operation, name))
        };
        self.extra.iter().any(|extra| extra.as_bytes() == name) || (self.is_open && may_be_published())
    }

    /// Returns true if [`Self::has_extra`] is false for every name.
    pub const fn has_no_extra(&self) -> bool {
        !self.is_open && self.extra.is_empty()
    }
}

// === impl ArgumentStanding ===

impl ArgumentStanding {
    const fn unsure_if(is_unsure: bool) -> Self {
        if is_unsure { Self::Unsure } else { Self::Judged }
    }
}

/// The standings of all arguments of an operation.
fn standings(operation: &Operation, of: impl FnMut(&Argument) -> ArgumentStanding) -> Vec<ArgumentStanding> {
    operation.arguments.iter().map(of).collect()
}

/// The standing of an argument in the description of two sites.
fn join_standings((ours, theirs): (&ArgumentStanding, &ArgumentStanding)) -> ArgumentStanding {
    if ours == theirs {
        return *ours;
    }
    ArgumentStanding::unsure_if([ours, theirs].contains(&&ArgumentStanding::Unsure))
}

/// Returns true for an argument with a rule of the edge's own, which no index suspends: images, authors, the namespace,
/// records that are created with an event, and the arguments of the path.
fn is_the_edges_own(operation: &Operation, argument: &Argument) -> bool {
    carries_own_rule(argument) || operation.id.route.path_parameter() == Some(argument.name)
}

fn carries_own_rule(argument: &Argument) -> bool {
    argument.role != Role::Plain || argument.rule.is_image() || argument.rule.creates().is_some()
}

/// Returns true for a name that may be taken over from an index: a plain one that neither the table nor WordPress
/// itself has a rule for.
fn is_extra(operation: &Operation, name: &str) -> bool {
    let is_plain = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    let is_read = || read_by_backend(operation.id).contains(&name);
    let is_guarded = || {
        let mut arguments = table().operations().iter().flat_map(|known| &known.arguments);
        arguments.any(|known| known.name == name && carries_own_rule(known))
    };
    is_plain
        && operation.argument(name.as_bytes()).is_none()
        && global(name.as_bytes()).is_none()
        && !NEVER_FORWARDED.contains(&name)
        && !is_read()
        && !is_guarded()
}

// === impl TablesInForce ===

impl TablesInForce {
    /// The tables of the roots, in the order of the settings.
    pub const fn new(by_root: Vec<Arc<TableInForce>>) -> Self {
        Self { by_root }
    }

    /// The table of a root; without one, [`TableInForce::unread`].
    pub fn of_root(&self, root: usize) -> &Arc<TableInForce> {
        self.by_root.get(root).unwrap_or(&UNREAD)
    }

    /// One table that describes all roots.
    pub fn joined(&self) -> TableInForce {
        let mut tables = self.by_root.iter();
        let first = tables.next().unwrap_or(&UNREAD);
        tables.fold((**first).clone(), |joined, table| joined.joined(table))
    }
}

/// An argument with the operations that it concerns, in words.
fn difference(sign: char, (argument, operations): (&str, Vec<&str>)) -> String {
    match operations.as_slice() {
        [one] => format!("{sign}{argument} ({one})"),
        many => format!("{sign}{argument} ({} operations)", many.len()),
    }
}
