//! Tests of the metrics of backends.

use prometheus_client::encoding::text::encode;

use super::*;

fn families() -> (Registry, BackendFamilies) {
    let mut registry = Registry::with_prefix("edge");
    let families = BackendFamilies::new(&mut registry);
    (registry, families)
}

fn render(registry: &Registry) -> String {
    let mut text = String::new();
    encode(&mut text, registry).unwrap();
    text
}

#[test]
fn every_series_begins_at_zero() {
    let (registry, families) = families();
    let _backend = families.of("http://h.example");
    let text = render(&registry);
    for line in [
        r#"edge_origin_permits_in_use{backend="http://h.example",traffic="calls"} 0"#,
        r#"edge_origin_permits_in_use{backend="http://h.example",traffic="site"} 0"#,
        r#"edge_origin_waiting_requests{backend="http://h.example",traffic="calls"} 0"#,
        r#"edge_origin_waiting_requests{backend="http://h.example",traffic="site"} 0"#,
        r#"edge_origin_revoked_permits_total{backend="http://h.example",traffic="calls"} 0"#,
        r#"edge_origin_shed_requests_total{backend="http://h.example",traffic="calls",reason="overload"} 0"#,
        r#"edge_origin_revoked_permits_total{backend="http://h.example",traffic="site"} 0"#,
        r#"edge_origin_retries_total{backend="http://h.example",result="tried"} 0"#,
        r#"edge_origin_retries_total{backend="http://h.example",result="denied"} 0"#,
        r#"edge_origin_breaker_state{backend="http://h.example"} 0"#,
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn guards_raise_gauges_while_they_live() {
    let (registry, families) = families();
    let backend = families.of("b");
    let line = |value| format!(r#"edge_origin_permits_in_use{{backend="b",traffic="calls"}} {value}"#);
    let held = backend.permits(TrafficKind::Calls).acquired();
    assert!(render(&registry).contains(&line(1)));
    drop(held);
    assert!(render(&registry).contains(&line(0)));
}

#[test]
fn series_end_with_the_last_handle_of_their_backend() {
    let (registry, families) = families();
    let first = families.of("b");
    first.retried(true);
    let second = families.of("b");
    drop(first);
    assert!(render(&registry).contains(r#"{backend="b",result="tried"} 1"#));
    drop(second);
    assert!(!render(&registry).contains(r#"backend="b""#));
}
