//! `calendar-edge init`, and `--site`: what a site says about itself becomes a configuration.

mod address;
mod args;
mod command;
mod file;
mod found;
mod languages;
mod limits;
mod obstacle;
mod rest_root;
mod root_document;
mod visit;

pub(super) use args::{AskedSiteArgs, InitArgs};
pub(super) use command::run;
pub(super) use obstacle::Obstacle;
