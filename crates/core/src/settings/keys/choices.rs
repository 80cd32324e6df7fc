//! The words by which a configuration chooses among the values of the judge's own types.

use calendar_edge_judge::policy::{Mode, OtherTraffic, Profile, UndeclaredParameters, Writes};

pub(crate) const MODES: [(&str, Mode); 3] = [
    ("enforce", Mode::Enforce),
    ("report", Mode::Report),
    ("off", Mode::Off),
];
pub(crate) const PROFILES: [(&str, Profile); 2] =
    [("compatible", Profile::Compatible), ("strict", Profile::Strict)];
pub(crate) const OTHERS: [(&str, OtherTraffic); 2] = [
    ("refuse", OtherTraffic::Refuse),
    ("forward", OtherTraffic::Forward),
];
pub(crate) const UNDECLARED: [(&str, UndeclaredParameters); 3] = [
    ("forward", UndeclaredParameters::Forward),
    ("drop", UndeclaredParameters::Drop),
    ("refuse", UndeclaredParameters::Refuse),
];
pub(crate) const WRITES: [(&str, Writes); 2] =
    [("credentials", Writes::Credentials), ("forward", Writes::Forward)];
