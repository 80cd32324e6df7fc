//! Settings of tools for agents.

/// Tools for programs that act for people, such as language models.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentSettings {
    /// True if the edge answers the Model Context Protocol.
    pub mcp: bool,
}
