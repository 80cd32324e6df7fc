//! Behaviour of the whole edge, and guards of the files that must agree with it.

mod architecture;
mod breaker;
mod command_line;
mod contract;
mod corpus;
mod forwarding;
mod framing;
mod images;
mod judging;
mod limits;
mod logs;
mod meaning;
mod openapi;
mod operations;
mod origin_trouble;
mod recorded;
mod relayed;
mod relaying;
mod reload;
mod round_trip;
mod sandbox;
mod schema_values;
mod site;
mod slow_clients;
mod support;
mod verdicts;
