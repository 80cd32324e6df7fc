//! Relayed documents: any way of cutting them gives the same bytes, and what names no origin stays.

#![no_main]

use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use calendar_edge_core::relay::{Content, OriginRoot, Rewriter, RootNames, UrlMap};
use calendar_edge_fuzz::pieces;
use libfuzzer_sys::fuzz_target;

static PUBLIC: LazyLock<Arc<str>> = LazyLock::new(|| "https://events.example.org".into());
static MAP: LazyLock<Arc<UrlMap>> = LazyLock::new(|| {
    let root = |url: &str| OriginRoot::from_setting(&url.parse().expect("a URL"));
    let roots = [("/wp-json", ""), ("/de/wp-json", "/de")].map(|(public_path, language)| RootNames {
        public_path: public_path.to_owned(),
        dialled: root(&format!("http://10.0.0.5:8080{language}/wp-json")),
        advertised: Some(root(&format!("https://origin.example{language}/wp-json"))),
    });
    Arc::new(UrlMap::new(&roots, "tribe/events/v1", "calendar/events/v1"))
});

fuzz_target!(|input: &[u8]| {
    let [size, spread, text @ ..] = input else { return };
    for content in [Content::Records, Content::Description] {
        let whole = rewriter(content).whole(Bytes::copy_from_slice(text));
        let pieces = in_pieces(rewriter(content), text, *size, *spread);
        assert!(
            whole == pieces,
            "{:?}\n{:?}",
            String::from_utf8_lossy(&whole),
            String::from_utf8_lossy(&pieces)
        );
        if content == Content::Records && !names_the_origin(text) {
            assert!(whole == text, "{:?}", String::from_utf8_lossy(&whole));
        }
    }
});

fn rewriter(content: Content) -> Rewriter {
    Rewriter::new(&MAP, &PUBLIC, 0, content)
}

fn in_pieces(mut rewriter: Rewriter, text: &[u8], size: u8, spread: u8) -> Vec<u8> {
    let mut out = Vec::new();
    for piece in pieces(text, usize::from(size), spread) {
        out.extend_from_slice(&rewriter.push(piece));
    }
    out.extend_from_slice(&rewriter.finish());
    out
}

fn names_the_origin(text: &[u8]) -> bool {
    let text = text.to_ascii_lowercase();
    let holds = |name: &[u8]| text.windows(name.len()).any(|window| window == name);
    holds(b"origin.example") || holds(b"10.0.0.5")
}
