//! `calendar-edge surface`: the routes of a site, how they are called, and the rules that follow.

mod surface_command;
mod surface_text;

pub(super) use surface_command::{SurfaceArgs, run};
