//! How fast answers pass: a page of fifty events, and the same page without an origin's URL.

#![allow(clippy::indexing_slicing, reason = "a bench reads its own fixtures")]

use std::sync::Arc;

use bytes::Bytes;
use calendar_edge_core::relay::cors::Audience;
use calendar_edge_core::relay::{
    BufferBudget, CallContext, ClientContext, Content, LearntRoots, RelayRules, Rewriter, accept, present,
};
use calendar_edge_core::settings::{OriginNamespace, Settings};
use divan::counter::BytesCount;
use divan::{AllocProfiler, Bencher, black_box};
use http::{Method, Response, header};
use http_body_util::{BodyExt, Full};

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

/// A list of recorded events as PHP prints it, of about a page's size.
fn page() -> String {
    let fixture = include_str!("../../fixtures/backend/event-list-page1.json");
    let list: serde_json::Value = serde_json::from_str(fixture).expect("the fixture is JSON");
    let events = list["events"].as_array().expect("a list of events");
    let many: Vec<_> = events.iter().cycle().take(50).collect();
    let text = serde_json::json!({ "events": many }).to_string();
    text.replace('/', r"\/")
}

/// The same page of a site that prints no URL of its API.
fn foreign_page() -> String {
    page().replace("origin.example", "other.example")
}

const PUBLIC_BASE: &str = "https://events.example.org";

fn rules() -> RelayRules {
    let url = "http://origin.example/wp-json".parse().expect("a URL");
    let mut settings = Settings::for_origin(url);
    settings.origin.namespace = OriginNamespace::set("tribe/events/v1");
    let budget = BufferBudget::new(settings.limits.response_buffer_total);
    RelayRules::new(&settings.site(), &LearntRoots::default(), &budget)
}

#[divan::bench(args = ["own", "foreign"])]
fn rewriting(bencher: Bencher<'_, '_>, name: &str) {
    let page = Bytes::from(if name == "own" { page() } else { foreign_page() });
    let (map, base) = (rules().urls.map(), Arc::from(PUBLIC_BASE));
    bencher.counter(BytesCount::new(page.len())).bench(|| {
        let rewriter = Rewriter::new(&map, &base, 0, Content::Records);
        black_box(rewriter.whole(page.clone()))
    });
}

#[divan::bench]
fn rewriting_in_pieces(bencher: Bencher<'_, '_>) {
    let page = Bytes::from(page());
    let (map, base) = (rules().urls.map(), Arc::from(PUBLIC_BASE));
    bencher.counter(BytesCount::new(page.len())).bench(|| {
        let mut rewriter = Rewriter::new(&map, &base, 0, Content::Records);
        let mut rest = page.clone();
        while !rest.is_empty() {
            black_box(rewriter.push(rest.split_to(rest.len().min(8 * 1024))));
        }
        black_box(rewriter.finish())
    });
}

/// Everything: head, judging, rewriting.
#[divan::bench]
fn relaying(bencher: Bencher<'_, '_>) {
    let page = Bytes::from(page());
    let rules = rules();
    let call = CallContext {
        root: 0,
        method: Method::GET,
        content: Content::Records,
        operation: None,
        may_be_script: false,
        enveloped: false,
        may_change_language: false,
        target: "/".into(),
    };
    let client = ClientContext {
        public_base: PUBLIC_BASE.into(),
        namespace: None,
        audience: Audience::Public,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    bencher.counter(BytesCount::new(page.len())).bench(|| {
        let answer = Response::builder()
            .header(header::CONTENT_TYPE, "application/json; charset=UTF-8")
            .header(
                header::LINK,
                "<http://origin.example/wp-json/>; rel=\"https://api.w.org/\"",
            )
            .body(Full::new(page.clone()))
            .expect("an answer");
        runtime.block_on(async {
            let accepted = accept(answer, &call, &rules).await.expect("a good answer");
            let relayed = present(accepted, &client, &rules);
            relayed.into_body().collect().await.expect("a whole body")
        })
    });
}
