//! Tests of reading bodies within a budget.

use std::convert::Infallible;

use futures_util::FutureExt;
use futures_util::StreamExt;
use futures_util::future::join_all;
use futures_util::stream::poll_fn as stream;
use http_body_util::{Full, StreamBody};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::time::advance;

use super::*;

const KIB: usize = 1024;
const SECOND: Duration = Duration::from_secs(1);

/// A body that is being read.
type Collecting = Pin<Box<dyn Future<Output = Result<Bytes, CollectError<Infallible>>> + Send>>;

/// A client with an open body.
struct Uploading {
    pieces: UnboundedSender<Bytes>,
    collecting: Collecting,
}

fn piece(kib: usize) -> Bytes {
    Bytes::from(vec![b'x'; kib * KIB])
}

/// Begins to read a body of at most a MiB in half a minute.
fn begin(budget: &BodyBudget) -> Uploading {
    let (pieces, mut received) = unbounded_channel();
    let body = stream(move |cx| received.poll_recv(cx)).map(|data| Ok::<_, Infallible>(Frame::data(data)));
    let collector = Collector::new(StreamBody::new(body), budget, KIB * KIB);
    Uploading {
        pieces,
        collecting: Box::pin(collector.collect(30 * SECOND)),
    }
}

impl Uploading {
    /// Sends so many KiB and lets them be read, as far as there is memory.
    fn send(&mut self, kib: usize) {
        for _ in 0..kib {
            self.pieces.send(piece(1)).unwrap();
        }
        self.poll();
    }

    fn poll(&mut self) {
        assert!(
            (&mut self.collecting).now_or_never().is_none(),
            "the body is open"
        );
    }

    /// Ends the body and returns its length.
    async fn end(self) -> Result<usize, CollectError<Infallible>> {
        drop(self.pieces);
        self.collecting.await.map(|whole| whole.len())
    }
}

#[tokio::test]
async fn a_body_of_one_piece_is_not_copied() {
    let budget = BodyBudget::with_limit(64 * KIB);
    let bytes = piece(3);
    let at = bytes.as_ptr();
    let collector = Collector::new(Full::new(bytes), &budget, 3 * KIB);
    let whole = collector.collect(SECOND).await.unwrap();
    assert_eq!((whole.len(), whole.as_ptr()), (3 * KIB, at));
    assert_eq!(budget.used(), 3 * KIB);
    drop(whole);
    assert_eq!(budget.used(), 0);
}

#[tokio::test]
async fn small_pieces_are_joined_and_cost_their_bytes() {
    let budget = BodyBudget::with_limit(KIB * KIB);
    let uploading = begin(&budget);
    for _ in 0..20 * KIB {
        uploading.pieces.send(Bytes::from_static(b"a")).unwrap();
    }
    drop(uploading.pieces);
    let whole = uploading.collecting.await.unwrap();
    assert_eq!(whole, "a".repeat(20 * KIB));
    assert_eq!(budget.used(), 32 * KIB, "the next power of two");
    drop(whole);
    assert_eq!(budget.used(), 0);
}

#[tokio::test]
async fn a_larger_body_is_refused_and_frees_what_it_took() {
    let budget = BodyBudget::with_limit(KIB * KIB);
    let collector = Collector::new(Full::new(piece(3)), &budget, 3 * KIB - 1);
    assert_eq!(collector.collect(SECOND).await, Err(CollectError::TooLarge));
    let mut growing = begin(&budget);
    growing.send(KIB);
    growing.pieces.send(piece(1)).unwrap();
    assert_eq!(growing.end().await, Err(CollectError::TooLarge));
    assert_eq!(budget.used(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_body_waits_until_another_is_gone() {
    let budget = BodyBudget::with_limit(64 * KIB);
    let mut ahead = begin(&budget);
    ahead.send(60);
    let mut waiting = begin(&budget);
    waiting.send(20);
    assert_eq!(budget.used(), (64 + 16) * KIB);
    assert_eq!(ahead.end().await, Ok(60 * KIB));
    waiting.poll();
    assert_eq!(budget.used(), 32 * KIB);
    assert_eq!(waiting.end().await, Ok(20 * KIB));
}

#[tokio::test(start_paused = true)]
async fn bodies_that_wait_for_each_other_all_come_to_their_end() {
    let budget = BodyBudget::with_limit(128 * KIB);
    let mut uploading: Vec<Uploading> = (0..8).map(|_| begin(&budget)).collect();
    for _ in 0..100 {
        for one in &mut uploading {
            one.send(1);
        }
    }
    let bound = (128 + 1024) * KIB;
    assert!(
        budget.used() <= bound,
        "one may exceed the limit, {}",
        budget.used()
    );
    let ended = join_all(uploading.into_iter().map(Uploading::end)).await;
    assert!(ended.iter().all(|ended| *ended == Ok(100 * KIB)), "{ended:?}");
    assert_eq!(budget.used(), 0);
}

#[tokio::test(start_paused = true)]
async fn small_bodies_pass_large_ones_that_wait() {
    let budget = BodyBudget::with_limit(128 * KIB);
    let _judged = budget.count(100 * KIB);
    let (mut ahead, mut waiting) = (begin(&budget), begin(&budget));
    ahead.send(20);
    waiting.send(20);
    let small = || Collector::new(Full::new(piece(1)), &budget, KIB).collect(SECOND);
    let first = small().now_or_never();
    assert!(first.is_some(), "one small body may exceed the limit too");
    assert!(small().now_or_never().is_none(), "another may not");
    drop(ahead);
    assert!(small().now_or_never().is_some());
    waiting.poll();
}

#[tokio::test(start_paused = true)]
async fn a_body_that_finds_no_memory_in_time_is_refused() {
    let budget = BodyBudget::with_limit(64 * KIB);
    let _judged = budget.count(KIB * KIB);
    let ahead = Collector::new(Full::new(piece(20)), &budget, KIB * KIB);
    let ahead = ahead.collect(SECOND).await.unwrap();
    let mut waiting = begin(&budget);
    waiting.send(20);
    assert_eq!(waiting.collecting.await, Err(CollectError::NoRoom));
    drop(ahead);
    assert_eq!(budget.used(), KIB * KIB);
}

#[tokio::test(start_paused = true)]
async fn the_slowest_client_makes_room_for_those_that_wait() {
    let budget = BodyBudget::with_limit(64 * KIB);
    let (mut faster, mut slowest, mut waiting) = (begin(&budget), begin(&budget), begin(&budget));
    faster.send(30);
    slowest.send(20);
    waiting.send(20);
    advance(SECOND / 2).await;
    faster.send(1);
    let (faster, waiting) = (faster.end(), waiting.end());
    let Uploading { pieces, collecting } = slowest;
    let (faster, slowest, waiting) = tokio::join!(faster, collecting, waiting);
    assert_eq!(slowest, Err(CollectError::NoRoom));
    assert_eq!((faster, waiting), (Ok(31 * KIB), Ok(20 * KIB)));
    drop(pieces);
}

#[tokio::test(start_paused = true)]
async fn a_slow_client_without_others_is_only_too_slow() {
    let budget = BodyBudget::with_limit(64 * KIB);
    let mut slow = begin(&budget);
    slow.send(100);
    assert_eq!(slow.collecting.await, Err(CollectError::TooSlow));
    assert_eq!(budget.used(), 0);
}
