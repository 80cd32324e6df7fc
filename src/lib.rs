//! calendar-edge: a hardened edge for the calendar REST API of a WordPress site.
//!
//! The life of a request:
//!
//! 1. `server` accepts a connection, terminates TLS, and lets the core's `framing` check its bytes before hyper reads
//!    them.
//! 2. `layers` gives the request an id, the address of its client, a log line and CORS headers, and refuses heads
//!    that break a rule.
//! 3. `gateway` lets the core's decider find where the request leads. A calendar call passes the gateway's stages: rate
//!    limit, refusals by the head, body, judging.
//! 4. Judging is the core's: `wordpress` reads the body as PHP does, `call` judges every parameter by the table in
//!    `contract` and encodes the call again. `problem` words a refusal.
//! 5. `migration` decides if the site or another backend serves the call, `cache` has stored responses, and a read that
//!    rules choose is copied to another backend after its response.
//! 6. [`backend`] writes the call for its origin and exchanges it: breaker, permit, connection, at most one retry.
//! 7. The core's `relay` checks the response, and presents it to the client: headers filtered, URLs made public.
//!
//! The core decides and the shell acts: everything that is pure is in `calendar-edge-core`. `gateway` holds the state
//! that outlives a reload, [`app`] puts everything together. `ARCHITECTURE.md` names each room, and what it may use.

#![cfg_attr(test, allow(clippy::string_slice, reason = "a panic is how a test fails"))]

pub mod app;
pub mod backend;
mod cache;
mod calls;
mod companion;
pub mod config;
mod fleet;
mod gateway;
mod layers;
mod migration;
mod observe;
mod pages;
mod server;
mod surface;
pub mod telemetry;
