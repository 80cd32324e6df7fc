//! `calendar-edge init`: a site's description of itself becomes a configuration.

mod access_files;
mod command;
mod file;
mod init_args;
mod site_address;

pub(super) use command::run;
pub(super) use init_args::InitArgs;
