//! `POST {root}/calendar-edge/v1/mcp`: reads of the calendar as tools, each call an anonymous read like any other.

use http::header::{ALLOW, HOST, ORIGIN, RETRY_AFTER, USER_AGENT};
use http::uri::PathAndQuery;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use super::message::{self, AgentMessage, MessageFault};
use crate::gateway::body::{BodyFault, BodyReader};
use crate::gateway::feed::record_reads::whole;
use crate::gateway::rate_limiter::RateLimiter;
use crate::gateway::{Parts, Shared};
use crate::layers::{AskedRequest, EdgeRequest, EdgeResponse, ResponseFacts};
use crate::server::bodies::CollectError;
use crate::server::response::{AnsweredBy, EdgeBody, PlainResponse, json};
use calendar_edge_core::describe::AgentTools;
use calendar_edge_core::limits::rates::CostClass;
use calendar_edge_core::relay::BufferBudget;
use calendar_edge_core::settings::Settings;
use calendar_edge_judge::call::credentials::Identity;
use calendar_edge_judge::contract::Operation;

/// The public route of the tools.
#[derive(Debug)]
pub(in crate::gateway) struct McpRoute {
    places: Vec<McpPath>,
    tools: AgentTools,
    limiter: RateLimiter,
    bodies: BodyReader,
    /// Maximum bytes of the target of a read, as of any client's.
    longest_target: usize,
    /// What is held for clients that are slow.
    buffers: BufferBudget,
    /// Web origins whose pages may call tools.
    origins: Vec<HeaderValue>,
}

/// The route below one REST root.
#[derive(Debug)]
struct McpPath {
    path: String,
    /// The path of the namespace below the same root.
    namespace: String,
}

/// A message after it is read.
pub(in crate::gateway) enum Heard {
    /// It is answered.
    Answered(EdgeResponse),
    /// It calls a tool.
    Tool(Box<ToolCall>),
}

/// A call of a tool.
#[derive(Debug)]
pub(in crate::gateway) struct ToolCall {
    /// The read that the tool stands for, of the same client.
    pub(in crate::gateway) asked: AskedRequest,
    /// The operation that it must lead to.
    pub(in crate::gateway) operation: &'static Operation,
    /// What answers it.
    pub(in crate::gateway) reply: ToolReply,
}

/// The answer to a call, before the read is answered.
#[derive(Debug)]
pub(in crate::gateway) struct ToolReply {
    id: Value,
    buffers: BufferBudget,
}

/// Where the route is below a REST root.
const PATH: &str = "/calendar-edge/v1/mcp";

/// Maximum bytes of a message. Arguments that are longer fit no target.
const LONGEST_MESSAGE: u64 = 64 << 10;

/// Maximum bytes of the answer to a read, which is twice in that of its tool.
const LONGEST_ANSWER: usize = 1 << 20;

/// The headers of a client that a read keeps: no credentials, and nothing about the body of the message.
const KEPT: [HeaderName; 2] = [HOST, USER_AGENT];

/// What the answer to a read tells about the client's budgets.
const BUDGETS: [HeaderName; 3] = [
    RETRY_AFTER,
    HeaderName::from_static("ratelimit"),
    HeaderName::from_static("ratelimit-policy"),
];

// === impl McpRoute ===

impl McpRoute {
    /// The route; none where the settings do not want it.
    pub(in crate::gateway) fn new(settings: &Settings, shared: &Shared, parts: &Parts) -> Option<Self> {
        let namespaces = settings.public_namespaces();
        let namespace = namespaces.first()?;
        let places = settings.roots.iter().map(|root| McpPath {
            path: format!("{}{PATH}", root.path),
            namespace: format!("{}/{namespace}", root.path),
        });
        let is_allowed = |read: &Operation| settings.operations.get(&read.id).is_none_or(|own| own.allow);
        settings.agents.mcp.then(|| Self {
            places: places.collect(),
            tools: AgentTools::new(is_allowed),
            limiter: RateLimiter::new(&settings.rate_limits, shared),
            bodies: parts.bodies.clone(),
            longest_target: settings.limits.target_bytes,
            buffers: shared.buffers.clone(),
            origins: settings.cors.credentialed_origins.clone(),
        })
    }

    /// Whether a request is for the route, by any method.
    pub(in crate::gateway) fn is_asked(&self, path: &str) -> bool {
        self.places.iter().any(|place| place.path == path)
    }

    /// Reads a message. Each costs as much as the read of a record, and the call of a tool what it reads besides.
    pub(in crate::gateway) async fn hear(&self, request: EdgeRequest) -> Heard {
        let (asked, body) = request.split();
        // Credentials do not matter here.
        let charged = match self
            .limiter
            .charge(&asked, &Identity::default(), CostClass::Item)
            .await
        {
            Ok(charged) => charged,
            Err(exceeded) => return Heard::Answered(self.limiter.refuse(&asked, &exceeded)),
        };
        self.limiter.passed();
        let mut answer = match self.refusal(&asked) {
            Some(refusal) => refusal,
            None => match self.bodies.read(body, LONGEST_MESSAGE).await {
                Err(BodyFault::TooLarge) => faulty(MessageFault::refused(
                    StatusCode::PAYLOAD_TOO_LARGE,
                    "A message has at most 64 KiB.",
                )),
                Err(fault) => fault.response(),
                Ok(body) => match self.understood(asked, &body) {
                    Ok(Heard::Answered(answer)) => answer,
                    Ok(tool) => return tool,
                    Err(fault) => faulty(fault),
                },
            },
        };
        charged.status().write(answer.headers_mut());
        Heard::Answered(answer)
    }

    /// The refusal of a request whose message is not read.
    fn refusal(&self, asked: &AskedRequest) -> Option<EdgeResponse> {
        if asked.head.method != Method::POST {
            let refused = MessageFault::refused(StatusCode::METHOD_NOT_ALLOWED, "Send messages with POST.");
            let mut answer = faulty(refused);
            answer
                .headers_mut()
                .insert(ALLOW, HeaderValue::from_static("POST"));
            return Some(answer);
        }
        // A name that leads here by a trick of DNS makes pages of anybody pages of this host: only listed ones count.
        let mut origins = asked.head.headers.get_all(ORIGIN).iter();
        let is_ours = origins.all(|origin| origin != "null" && self.origins.contains(origin));
        (!is_ours).then(|| {
            let words = "Pages of this web origin may not call tools.";
            faulty(MessageFault::refused(StatusCode::FORBIDDEN, words))
        })
    }

    fn understood(&self, asked: AskedRequest, body: &[u8]) -> Result<Heard, MessageFault> {
        let message = AgentMessage::read(body, &asked.head.headers)?;
        let Some(id) = &message.id else {
            return Ok(Heard::Answered(accepted()));
        };
        let result = match message.method.as_str() {
            "initialize" => message::handshake(message.negotiated()),
            "server/discover" => message::discovered(),
            "ping" => json!({}),
            "tools/list" => {
                let tools: Vec<&Value> = self.tools.descriptions().collect();
                message::kept(json!({"tools": tools}))
            }
            "tools/call" => return self.called(asked, &message, id),
            _ => return Err(message.unknown_method()),
        };
        let answer = self.buffers.count(message::answer(id, &result));
        Ok(Heard::Answered(answered(answer, own())))
    }

    fn called(&self, asked: AskedRequest, message: &AgentMessage, id: &Value) -> Result<Heard, MessageFault> {
        let name = message.params.get("name").and_then(Value::as_str);
        let tool = name.and_then(|name| self.tools.named(name));
        let tool = tool.ok_or_else(|| message.bad_params("There is no tool of this name."))?;
        let none = Map::new();
        let arguments = match message.params.get("arguments") {
            None | Some(Value::Null) => &none,
            Some(Value::Object(arguments)) => arguments,
            Some(_) => return Err(message.bad_params("`arguments` is not an object.")),
        };
        let reply = ToolReply {
            id: id.clone(),
            buffers: self.buffers.clone(),
        };
        // The model reads what is wrong, and tries again.
        let target = match tool.target(arguments) {
            Ok(target) => target,
            Err(fault) => return Ok(Heard::Answered(reply.refused(&fault.to_string()))),
        };
        let place = self
            .places
            .iter()
            .find(|place| place.path == asked.head.uri.path());
        let target = place.map(|place| format!("{}{target}", place.namespace));
        let target = target.filter(|target| target.len() <= self.longest_target);
        let Some(asked) = target.and_then(|target| read(asked, &target)) else {
            return Ok(Heard::Answered(
                reply.refused("the arguments are too long for a request"),
            ));
        };
        let operation = tool.operation();
        Ok(Heard::Tool(Box::new(ToolCall {
            asked,
            operation,
            reply,
        })))
    }
}

/// The same client's request for a target; none if it cannot be one.
fn read(mut asked: AskedRequest, target: &str) -> Option<AskedRequest> {
    let mut uri = asked.head.uri.clone().into_parts();
    uri.path_and_query = Some(PathAndQuery::try_from(target).ok()?);
    asked.head.uri = Uri::from_parts(uri).ok()?;
    asked.head.method = Method::GET;
    let sent = std::mem::take(&mut asked.head.headers);
    copy(&KEPT, &sent, &mut asked.head.headers);
    Some(asked)
}

fn copy(names: &[HeaderName], from: &HeaderMap, to: &mut HeaderMap) {
    for name in names {
        for value in from.get_all(name) {
            to.append(name, value.clone());
        }
    }
}

// === impl ToolReply ===

impl ToolReply {
    /// The answer to the call of a tool, with what the read was answered.
    pub(in crate::gateway) async fn with(self, answer: EdgeResponse) -> EdgeResponse {
        let (status, facts) = (answer.status(), facts(&answer.facts));
        let mut budgets = HeaderMap::new();
        copy(&BUDGETS, answer.headers(), &mut budgets);
        let mut answer = match self.text(answer.response.into_body()).await {
            Ok(text) => {
                let result = message::tool_result(&self.id, &text, !status.is_success());
                answered(self.buffers.count(result), facts)
            }
            Err(reason) => self.refused(reason),
        };
        answer.headers_mut().extend(budgets);
        answer
    }

    /// The JSON of the answer to a read, or the reason why no tool shows it.
    async fn text(&self, body: EdgeBody) -> Result<String, &'static str> {
        const UNFIT: &str = "the calendar gave no answer that a tool can show";
        let most = self.buffers.allowance(LONGEST_ANSWER);
        let body = whole(body, most).await.map_err(|error| match error {
            CollectError::TooLarge if most < LONGEST_ANSWER => {
                "the edge has no room for the answer now: try again later"
            }
            CollectError::TooLarge => "the answer has more than 1 MiB: ask for fewer records with `per_page`",
            _ => UNFIT,
        })?;
        let text = String::from_utf8(body.into()).map_err(|_| UNFIT)?;
        serde_json::from_str::<IgnoredAny>(&text).map_err(|_| UNFIT)?;
        Ok(text)
    }

    /// The answer to a call that reads nothing.
    pub(in crate::gateway) fn refused(&self, reason: &str) -> EdgeResponse {
        let reason = json!({"message": reason}).to_string();
        answered(message::tool_result(&self.id, &reason, true), own())
    }
}

/// The facts of the answer to a read, of which another body is made.
const fn facts(of: &ResponseFacts) -> ResponseFacts {
    match of {
        ResponseFacts::Calendar { by, audience, .. } => ResponseFacts::Calendar {
            by: *by,
            audience: *audience,
            forms: None,
        },
        ResponseFacts::Edge(by) => ResponseFacts::Edge(*by),
        ResponseFacts::Unchanged | ResponseFacts::Switched(_) => own(),
    }
}

const fn own() -> ResponseFacts {
    ResponseFacts::Edge(AnsweredBy::OwnRoute { code: "agents" })
}

fn answered(body: bytes::Bytes, facts: ResponseFacts) -> EdgeResponse {
    EdgeResponse {
        response: json(StatusCode::OK, body),
        facts,
    }
}

fn accepted() -> EdgeResponse {
    let mut response = PlainResponse::default();
    *response.status_mut() = StatusCode::ACCEPTED;
    EdgeResponse {
        response,
        facts: own(),
    }
}

fn faulty(fault: MessageFault) -> EdgeResponse {
    let (status, body) = fault.answer();
    EdgeResponse {
        response: json(status, body),
        facts: own(),
    }
}
