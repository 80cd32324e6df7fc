//! The command line: one file or folder for each subcommand; no other module uses clap or anyhow.

mod admin_client;
mod args;
mod cache;
mod check;
mod colour;
#[cfg(feature = "migration")]
mod comparing;
mod completions;
#[cfg(feature = "migration")]
mod contract;
#[cfg(feature = "demo")]
mod demo;
mod dispatch;
mod environment;
mod examples;
mod explain;
#[cfg(feature = "migration")]
mod exporting;
#[cfg(feature = "migration")]
mod file_hashes;
mod guarded_rules;
mod healthcheck;
mod idle_rules;
mod init;
#[cfg(feature = "migration")]
mod list_reader;
mod man;
#[cfg(feature = "migration")]
mod migration;
mod named_address;
mod open_settings;
#[cfg(feature = "migration")]
mod pace;
#[cfg(feature = "migration")]
mod progress;
mod purge;
mod routes;
mod runtime;
mod serve;
mod status;
mod surface;

pub(crate) use dispatch::run;
pub(crate) use status::complain;
