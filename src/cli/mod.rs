//! The command line: one file or folder for each subcommand; no other module uses clap or anyhow.

mod admin_client;
mod args;
mod call_judge;
mod check;
mod colour;
mod command_line;
mod comparing;
#[cfg(feature = "demo")]
mod demo;
mod dispatch;
mod environment;
mod examples;
mod explain;
mod file_hashes;
mod healthcheck;
mod init;
mod list_reader;
mod migration;
mod pace;
mod print;
mod progress;
mod purge;
mod record_names;
mod runtime;
mod serve;
mod status;
mod survey;
mod typed_request;

pub(crate) use dispatch::run;
pub(crate) use status::complain;
