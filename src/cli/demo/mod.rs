//! `calendar-edge demo`: the edge in front of the built-in calendar.

mod command;
mod migration;

pub(super) use command::{DemoArgs, run};
