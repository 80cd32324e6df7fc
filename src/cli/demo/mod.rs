//! `calendar-edge demo`: the edge in front of the built-in calendar.

mod demo_command;

pub(super) use demo_command::{DemoArgs, run};
