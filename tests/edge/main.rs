//! Behaviour of the whole edge, and guards of the files that must agree with it.

#![allow(
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a panic is how a test fails"
)]

mod access_lines;
mod admin;
mod advice;
mod advisory_check;
#[cfg(feature = "mcp")]
mod agents;
mod backends;
mod body_memory;
mod breaker;
mod caching;
mod calendars;
mod command_line;
mod companion;
mod comparing;
mod compression;
mod configuration_schema;
mod contract;
mod contract_test;
mod corpus;
mod cutover;
mod descriptors;
mod discovery;
mod early_refusals;
mod edge_errors;
mod ending;
mod explained;
mod explained_index;
mod exporting;
mod feed;
mod first_minutes;
mod fleet;
mod forwarding;
mod found_file;
mod framing;
mod head_first;
mod healthcheck;
mod identity;
mod images;
mod judging;
mod known_reads;
mod languages;
mod limits;
mod logs;
mod meaning;
mod metrics;
mod modes;
mod named_in_docs;
mod namespaces;
mod odd_headers;
#[cfg(unix)]
mod open_settings;
mod openapi;
mod operations;
mod origin_route;
mod origin_tls;
mod origin_trouble;
mod proxy_protocol;
mod published_index;
mod purging;
mod queue;
mod rate_limits;
mod recorded;
mod recording;
mod refusals;
mod relayed;
mod relaying;
mod reload;
mod repair;
mod reported;
mod round_trip;
mod sandbox;
mod schema_values;
mod service_manager;
mod shadowing;
mod site;
mod site_access;
mod site_forms;
mod site_logins;
mod site_targets;
mod site_uploads;
mod slow_bodies;
mod slow_clients;
mod slow_readers;
mod strict;
mod strict_heads;
mod support;
mod surface;
mod surface_report;
mod surface_verdicts;
mod table_columns;
mod threads;
mod tls;
#[cfg(feature = "otlp")]
mod traces;
mod unfinished;
mod unheard_site;
mod upgrades;
mod verdicts;
mod verifying;
mod versions;
mod writers;
