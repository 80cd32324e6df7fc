//! Messages of the Model Context Protocol: JSON-RPC requests of its revisions from 2025-06-18 on, and answers to them.

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use serde_json::{Map, Value, json};

/// A message of a client.
#[derive(Debug)]
pub(super) struct AgentMessage {
    /// Its id; none for a notification, which nobody answers.
    pub(super) id: Option<Value>,
    pub(super) method: String,
    pub(super) params: Map<String, Value>,
    /// True if it describes itself, and no handshake went before.
    is_modern: bool,
}

/// A message that is answered with an error.
#[derive(Debug)]
pub(super) struct MessageFault {
    status: StatusCode,
    code: i32,
    message: String,
    /// The revision that the client speaks, if that is the fault.
    requested: Option<Box<str>>,
    id: Box<Value>,
}

/// The revision whose messages describe themselves.
const MODERN: &str = "2026-07-28";

/// The revisions that begin with a handshake, the newest first.
const HANDSHAKES: [&str; 2] = ["2025-11-25", "2025-06-18"];

/// The member of `_meta` with the revision of a message that describes itself.
const REVISION: &str = "io.modelcontextprotocol/protocolVersion";

/// Milliseconds for which clients may keep what describes the edge.
const KEPT: u32 = 300_000;

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;
const HEADER_MISMATCH: i32 = -32020;
const UNSUPPORTED_REVISION: i32 = -32022;

// === impl AgentMessage ===

impl AgentMessage {
    /// Reads the body of a request; its headers say again what is in it.
    pub(super) fn read(body: &[u8], headers: &HeaderMap) -> Result<Self, MessageFault> {
        let value = serde_json::from_slice(body)
            .map_err(|_| MessageFault::of(PARSE_ERROR, "The body is not JSON."))?;
        let Value::Object(mut members) = value else {
            return Err(MessageFault::of(
                INVALID_REQUEST,
                "The body is not one JSON-RPC message.",
            ));
        };
        let id = members.remove("id");
        // A larger number would come back as another one.
        let is_id = id
            .as_ref()
            .is_none_or(|id| id.is_string() || id.is_i64() || id.is_u64());
        let (Some(Value::String(method)), true, true) = (
            members.remove("method"),
            members.get("jsonrpc").is_some_and(|version| version == "2.0"),
            is_id,
        ) else {
            return Err(MessageFault::of(
                INVALID_REQUEST,
                "The body is not a JSON-RPC request.",
            ));
        };
        let params = match members.remove("params") {
            None => Map::new(),
            Some(Value::Object(params)) => params,
            Some(_) => {
                let fault = MessageFault::of(INVALID_PARAMS, "`params` is not an object.");
                return Err(fault.to(id.as_ref()));
            }
        };
        let mut message = Self {
            id,
            method,
            params,
            is_modern: false,
        };
        message.is_modern = message
            .is_described(headers)
            .map_err(|fault| fault.to(message.id.as_ref()))?;
        Ok(message)
    }

    /// Whether the message describes itself; its revision is one of ours, and headers and body agree.
    fn is_described(&self, headers: &HeaderMap) -> Result<bool, MessageFault> {
        let header = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or_default());
        let stated = header("mcp-protocol-version");
        let own = self.params.get("_meta").and_then(|meta| meta.get(REVISION));
        if own.is_some() && own.and_then(Value::as_str) != stated {
            return Err(MessageFault::differs("MCP-Protocol-Version"));
        }
        match stated {
            None => return Ok(false),
            Some(stated) if HANDSHAKES.contains(&stated) && own.is_none() => return Ok(false),
            Some(MODERN) => {}
            Some(stated) => return Err(MessageFault::unsupported(stated)),
        }
        if self.id.is_some() && header("mcp-method") != Some(&self.method) {
            return Err(MessageFault::differs("Mcp-Method"));
        }
        let name = self.params.get("name").and_then(Value::as_str);
        if self.method == "tools/call" && header("mcp-name") != name {
            return Err(MessageFault::differs("Mcp-Name"));
        }
        Ok(true)
    }

    /// The fault of parameters that the method does not take.
    pub(super) fn bad_params(&self, message: impl Into<String>) -> MessageFault {
        MessageFault::of(INVALID_PARAMS, message).to(self.id.as_ref())
    }

    /// The fault of a method that the edge does not know. A handshake's clients take 404 for the end of a session.
    pub(super) fn unknown_method(&self) -> MessageFault {
        let status = if self.is_modern {
            StatusCode::NOT_FOUND
        } else {
            StatusCode::OK
        };
        let fault = MessageFault::of(METHOD_NOT_FOUND, "The edge knows no such method.");
        MessageFault { status, ..fault }.to(self.id.as_ref())
    }

    /// The revision that the edge speaks after a handshake: the client's, or the newest.
    pub(super) fn negotiated(&self) -> &'static str {
        let wanted = self.params.get("protocolVersion").and_then(Value::as_str);
        let known = HANDSHAKES.into_iter().find(|known| Some(*known) == wanted);
        known.unwrap_or(HANDSHAKES[0])
    }
}

// === impl MessageFault ===

impl MessageFault {
    /// A fault of a message whose id is not known.
    pub(super) fn of(code: i32, message: impl Into<String>) -> Self {
        Self {
            status: StatusCode::BAD_REQUEST,
            code,
            message: message.into(),
            requested: None,
            id: Box::default(),
        }
    }

    /// The refusal of a request before its message is read.
    pub(super) fn refused(status: StatusCode, message: &str) -> Self {
        Self {
            status,
            ..Self::of(INVALID_REQUEST, message)
        }
    }

    fn differs(header: &str) -> Self {
        Self::of(
            HEADER_MISMATCH,
            format!("The header {header} and the body differ."),
        )
    }

    fn unsupported(revision: &str) -> Self {
        Self {
            requested: Some(revision.into()),
            ..Self::of(
                UNSUPPORTED_REVISION,
                "The edge does not speak this revision of the protocol.",
            )
        }
    }

    fn to(self, id: Option<&Value>) -> Self {
        Self {
            id: Box::new(id.cloned().unwrap_or_default()),
            ..self
        }
    }

    /// Status and body of the answer.
    pub(super) fn answer(self) -> (StatusCode, Bytes) {
        let Self { code, message, .. } = self;
        let error = match self.requested {
            Some(requested) => {
                let data = json!({"supported": revisions(), "requested": requested});
                json!({"code": code, "message": message, "data": data})
            }
            None => json!({"code": code, "message": message}),
        };
        let answer = json!({"jsonrpc": "2.0", "id": self.id, "error": error});
        (self.status, answer.to_string().into())
    }
}

// === answers ===

/// The answer to a request.
pub(super) fn answer(id: &Value, result: &Value) -> Bytes {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
        .to_string()
        .into()
}

/// What the edge is, for clients that begin with a handshake.
pub(super) fn handshake(revision: &str) -> Value {
    json!({
        "protocolVersion": revision,
        "capabilities": {"tools": {}},
        "serverInfo": server(),
        "instructions": INSTRUCTIONS,
    })
}

/// The same for clients that ask.
pub(super) fn discovered() -> Value {
    kept(json!({
        "supportedVersions": revisions(),
        "capabilities": {"tools": {}},
        "instructions": INSTRUCTIONS,
        "_meta": {"io.modelcontextprotocol/serverInfo": server()},
    }))
}

/// A result that clients may keep and share.
pub(super) fn kept(mut result: Value) -> Value {
    if let Some(members) = result.as_object_mut() {
        let more = [
            ("resultType", json!("complete")),
            ("ttlMs", json!(KEPT)),
            ("cacheScope", json!("public")),
        ];
        members.extend(more.map(|(name, value)| (name.to_owned(), value)));
    }
    result
}

/// The result of a tool; `record` is text that is JSON.
///
/// The JSON is in it twice, as text and as it is, and is not read into memory value by value.
pub(super) fn tool_result(id: &Value, record: &str, is_error: bool) -> Bytes {
    let text = Value::from(record);
    let structured = if !is_error && record.starts_with('{') {
        format!(r#""structuredContent":{record},"#)
    } else {
        String::new()
    };
    let result = format!(
        r#"{{"resultType":"complete",{structured}"isError":{is_error},"content":[{{"type":"text","text":{text}}}]}}"#
    );
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#).into()
}

const INSTRUCTIONS: &str = "Reads a calendar of events, venues, organizers, categories and tags. A list of events without \
    dates holds those of the next two years; pages have `page` and `per_page`, and a small `per_page` keeps an answer short. \
    `_fields` limits the answer to the read of one record to the members that are needed.";

fn server() -> Value {
    json!({"name": "calendar-edge", "version": env!("CARGO_PKG_VERSION")})
}

fn revisions() -> Value {
    let handshakes = HANDSHAKES.into_iter();
    std::iter::once(MODERN).chain(handshakes).collect()
}
