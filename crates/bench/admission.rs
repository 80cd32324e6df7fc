//! What it costs to take a call from a rate limit: one client, many clients, and a store that is at its limit.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use calendar_edge_core::limits::rates::{BucketKey, BucketStore};
use calendar_edge_core::settings::Rate;
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

/// Never used up, and never full while time stands still.
const GENEROUS: Rate = Rate {
    requests: 1_000_000_000,
    period: Duration::from_hours(24 * 365),
};

/// A call is paid back after a month.
const SLOW: Rate = Rate {
    requests: 12,
    period: Duration::from_hours(24 * 365),
};

/// The bucket of the nth client: spread as a hash would.
fn key(number: u64) -> BucketKey {
    BucketKey {
        own: number.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        shared: 0,
    }
}

/// A store at its limit.
fn full_store(buckets: usize, rate: &Rate, now: Instant) -> BucketStore {
    let store = BucketStore::new(buckets);
    for number in 0..buckets as u64 {
        let _ = store.spend(key(number), rate, now);
    }
    store
}

/// One client calls.
#[divan::bench(threads = [1, 2])]
fn one_client(bencher: Bencher<'_, '_>) {
    let store = BucketStore::new(100_000);
    let now = Instant::now();
    bencher.bench(|| store.spend(black_box(key(1)), &GENEROUS, now));
}

/// Clients that are known call in turn.
#[divan::bench(threads = [1, 2], args = [1000, 100_000, 1_000_000])]
fn known_clients(bencher: Bencher<'_, '_>, clients: usize) {
    let now = Instant::now();
    let store = full_store(clients, &GENEROUS, now);
    let next = AtomicU64::new(0);
    bencher.bench(|| {
        let number = next.fetch_add(1, Ordering::Relaxed) % clients as u64;
        store.spend(key(number), &GENEROUS, now)
    });
}

/// New clients call while no bucket is full: they share one.
#[divan::bench(threads = [1, 2], args = [100_000, 1_000_000])]
fn new_clients_at_the_limit(bencher: Bencher<'_, '_>, buckets: usize) {
    let now = Instant::now();
    let store = full_store(buckets, &GENEROUS, now);
    let next = AtomicU64::new(buckets as u64);
    bencher.bench(|| store.spend(key(next.fetch_add(1, Ordering::Relaxed)), &GENEROUS, now));
}

/// The same with seconds between the calls, so that each looks for full buckets everywhere.
#[divan::bench(args = [100_000, 1_000_000], sample_count = 20, sample_size = 1)]
fn search_for_room(bencher: Bencher<'_, '_>, buckets: usize) {
    let now = Instant::now();
    let store = full_store(buckets, &SLOW, now);
    let next = AtomicU64::new(1);
    bencher.bench(|| {
        let second = next.fetch_add(1, Ordering::Relaxed);
        let later = now + Duration::from_secs(2 * second);
        store.spend(key(buckets as u64 + second), &SLOW, later)
    });
}

/// A new client calls where all buckets are full and may go.
#[divan::bench(args = [100_000, 1_000_000], sample_count = 5, sample_size = 1)]
fn first_call_after_a_crowd(bencher: Bencher<'_, '_>, buckets: usize) {
    let now = Instant::now();
    let later = now + SLOW.period;
    bencher
        .with_inputs(|| full_store(buckets, &SLOW, now))
        .bench_refs(|store| store.spend(key(buckets as u64), &SLOW, later));
}
