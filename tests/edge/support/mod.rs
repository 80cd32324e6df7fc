//! The one harness: a scripted origin, an edge on port 0, and two clients, all over real sockets.

mod certificates;
mod edge;
mod false_store;
mod frames;
pub(crate) mod json_schema;
mod origin;
mod planted;
mod ports;
mod program;
mod raw;
mod reply;
mod store;
mod versions;
mod wire;

pub(crate) use certificates::{Authority, Certificate};
pub(crate) use edge::{Answer, Edge, german_root};
pub(crate) use false_store::{FalseStore, Mischief};
pub(crate) use frames::{Fate, FrameClient, fields};
pub(crate) use origin::{Origin, Seen};
pub(crate) use planted::{planted, responded};
pub(crate) use ports::closed_port;
pub(crate) use program::{Directory, Program};
pub(crate) use raw::{RawAnswer, RawClient, raw_get};
pub(crate) use reply::{Gate, Reply};
pub(crate) use store::Store;
pub(crate) use versions::{corpus_table, index_text, table_of};
pub(crate) use wire::{Step, Wire};

/// The list of events below the harness's public root.
pub(crate) const EVENTS: &str = "/wp-json/calendar/events/v1/events";
