//! The rules that apply, and the treatment of requests that break them.

/// The treatment of a request that breaks a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum Mode {
    /// It is refused.
    #[default]
    Enforce,
    /// It is counted, logged and forwarded in canonical form.
    Report,
    /// It is forwarded in canonical form; arguments are not judged.
    Off,
}

/// The rules that apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// The rules of WordPress.
    #[default]
    Compatible,
    /// The specification to the letter.
    Strict,
}

/// The treatment of requests outside of the calendar API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OtherTraffic {
    /// 404 `rest_no_route`.
    #[default]
    Refuse,
    /// Streamed to the origin: the edge stands in front of the whole site.
    Forward,
}

/// The treatment of writes without credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Writes {
    /// The edge responds with WordPress's 401, after validation.
    #[default]
    Credentials,
    /// They are forwarded; the origin refuses them.
    Forward,
}

/// The treatment of parameters that the table in force does not declare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndeclaredParameters {
    /// They are forwarded where they stood.
    Forward,
    /// They are not forwarded.
    Drop,
    /// A call with one is refused with 400 `rest_invalid_param`.
    Refuse,
}

// === impl Mode ===

impl Mode {
    /// The name by which the configuration sets it.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
