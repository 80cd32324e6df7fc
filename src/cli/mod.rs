//! The command line: one file or folder for each subcommand; no other module uses clap or anyhow.

mod admin_client;
mod args;
mod check;
mod colour;
mod command_line;
#[cfg(feature = "demo")]
mod demo;
mod dispatch;
mod environment;
mod examples;
mod explain;
mod healthcheck;
mod init;
mod migration;
mod print;
mod purge;
mod runtime;
mod serve;
mod status;
mod survey;
mod typed_request;

pub(crate) use dispatch::run;
pub(crate) use status::complain;
