//! Tools for agents: the public route of the Model Context Protocol, stateless and read-only.

pub(super) mod mcp_route;
mod message;
