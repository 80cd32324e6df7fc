//! Tests of the phases of a connection, with paused time.

use super::*;

const LIMITS: PhaseLimits = PhaseLimits {
    head: Duration::from_secs(10),
    idle: Duration::from_mins(1),
};

/// The phase that lasted too long.
async fn end_of(watch: &mut PhaseWatch) -> Phase {
    loop {
        if let Due::End(phase) = (&mut *watch).await {
            return phase;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_connection_overstays_after_the_head_limit() {
    let started = Instant::now();
    let due = PhaseWatch::new(&Activity::new(), LIMITS).await;
    assert_eq!(due, Due::End(Phase::Opening));
    assert_eq!(started.elapsed(), LIMITS.head);
}

#[tokio::test(start_paused = true)]
async fn a_kept_connection_overstays_after_the_idle_limit() {
    let activity = Activity::new();
    drop(activity.begin());
    let started = Instant::now();
    let mut watch = PhaseWatch::new(&activity, LIMITS);
    assert_eq!((&mut watch).await, Due::Parking);
    assert_eq!(started.elapsed(), PARKING);
    assert_eq!(watch.await, Due::End(Phase::Idle));
    assert_eq!(started.elapsed(), LIMITS.idle);
}

#[tokio::test(start_paused = true)]
async fn http2_and_short_limits_know_no_parking() {
    let (multiplexed, brief) = (Activity::new(), Activity::new());
    multiplexed.multiplexes();
    let limits = PhaseLimits {
        idle: PARKING,
        ..LIMITS
    };
    for (activity, limits) in [(multiplexed, LIMITS), (brief, limits)] {
        drop(activity.begin());
        let due = PhaseWatch::new(&activity, limits).await;
        assert_eq!(due, Due::End(Phase::Idle));
    }
}

/// A connection is parked again in its next idle phase.
#[tokio::test(start_paused = true)]
async fn parking_is_due_once_in_each_idle_phase() {
    let activity = Activity::new();
    let mut watch = PhaseWatch::new(&activity, LIMITS);
    for pause in [0, 1, 7] {
        activity.received();
        drop(activity.begin());
        let started = Instant::now();
        assert_eq!((&mut watch).await, Due::Parking);
        assert_eq!(started.elapsed(), PARKING);
        let idle = tokio::time::timeout(Duration::from_secs(pause), &mut watch).await;
        assert!(idle.is_err(), "{pause}");
    }
}

#[tokio::test(start_paused = true)]
async fn bytes_between_requests_start_the_head_clock_once() {
    let activity = Activity::new();
    drop(activity.begin());
    activity.received();
    let started = Instant::now();
    assert_eq!(PhaseWatch::new(&activity, LIMITS).await, Due::End(Phase::Head));
    assert_eq!(started.elapsed(), LIMITS.head);
}

#[tokio::test(start_paused = true)]
async fn a_running_request_never_overstays() {
    let activity = Activity::new();
    let _running = (activity.begin(), activity.begin());
    let mut watch = PhaseWatch::new(&activity, LIMITS);
    let waited = tokio::time::timeout(Duration::from_hours(1), &mut watch).await;
    assert!(waited.is_err());
    assert_eq!(activity.place.lock().phase, Phase::Busy(2));
}

/// Each phase is measured from its own begin, whatever came before and whenever the watch was polled last.
#[tokio::test(start_paused = true)]
async fn phases_are_measured_exactly_after_others() {
    for before in [0, 3, 9, 11, 59, 61, 200] {
        let activity = Activity::new();
        let mut watch = PhaseWatch::new(&activity, LIMITS);
        let running = activity.begin();
        let busy = tokio::time::timeout(Duration::from_secs(before), end_of(&mut watch)).await;
        assert!(busy.is_err());
        drop(running);
        let ended = Instant::now();
        let idle = tokio::time::timeout(Duration::from_secs(before % 60), end_of(&mut watch)).await;
        assert!(idle.is_err(), "{before}");
        if before % 2 == 0 {
            assert_eq!(end_of(&mut watch).await, Phase::Idle);
            assert_eq!(ended.elapsed(), LIMITS.idle, "{before}");
        } else {
            activity.received();
            let began = Instant::now();
            assert_eq!(end_of(&mut watch).await, Phase::Head);
            assert_eq!(began.elapsed(), LIMITS.head, "{before}");
        }
    }
}

/// A client that was notified that the connection ends gets one more short phase.
#[tokio::test(start_paused = true)]
async fn an_idle_connection_can_be_given_more_time() {
    let activity = Activity::new();
    drop(activity.begin());
    let mut watch = PhaseWatch::new(&activity, LIMITS);
    assert_eq!(end_of(&mut watch).await, Phase::Idle);
    let started = Instant::now();
    watch.allow_idle(LIMITS.head);
    assert_eq!(end_of(&mut watch).await, Phase::Idle);
    assert_eq!(started.elapsed(), LIMITS.head);
}
