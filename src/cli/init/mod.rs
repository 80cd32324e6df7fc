//! `calendar-edge init`, and `--site`: what a site says about itself becomes a configuration.

mod command;
mod file;
mod found;
mod init_args;
mod languages;
mod limits;
mod obstacle;
mod rest_root;
mod root_document;
mod site_address;
mod visit;

pub(super) use command::run;
pub(super) use init_args::{AskedSiteArgs, InitArgs};
pub(super) use obstacle::Obstacle;
