//! The circuit breaker of a backend: a state machine without a clock of its own (T-72).

use std::time::{Duration, Instant};

use crate::settings::BreakerSettings;

/// Closed until a run of outages opens it; then it admits one probe per interval.
#[derive(Debug)]
pub struct Breaker {
    /// Consecutive outages that open it; zero: it never opens.
    failures: usize,
    probe_interval: Duration,
    state: BreakerState,
    /// Number of times it has closed.
    epoch: u64,
}

/// The position of a breaker in log lines and metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// All exchanges pass.
    Closed,
    /// Only a probe passes.
    HalfOpen,
    /// No exchange passes.
    Open,
}

/// The health of an origin, as shown by one exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    /// It responds; an error of its application is a response too.
    Alive,
    /// It cannot be reached, hangs, breaks off, or reports that it is out of service.
    Outage,
}

/// The admission of one exchange; it is handed back with the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pass {
    epoch: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BreakerState {
    Closed { run: usize },
    Open { probe_at: Instant },
    HalfOpen { probe_at: Instant },
}

// === impl Breaker ===

impl Breaker {
    /// A closed breaker.
    pub fn new(settings: &BreakerSettings) -> Self {
        Self {
            failures: settings.failures,
            probe_interval: settings.probe_interval,
            state: BreakerState::Closed { run: 0 },
            epoch: 0,
        }
    }

    /// Admits an exchange while it is closed, and else one probe in each interval.
    ///
    /// # Errors
    ///
    /// The time until the next probe.
    pub fn ask(&mut self, now: Instant) -> Result<Pass, Duration> {
        let pass = Pass { epoch: self.epoch };
        match self.state {
            BreakerState::Closed { .. } => Ok(pass),
            // A probe that hangs, or whose client disconnected, does not delay the next one.
            BreakerState::Open { probe_at } | BreakerState::HalfOpen { probe_at } if now >= probe_at => {
                self.state = BreakerState::HalfOpen {
                    probe_at: now + self.probe_interval,
                };
                Ok(pass)
            }
            BreakerState::Open { probe_at } | BreakerState::HalfOpen { probe_at } => Err(probe_at - now),
        }
    }

    /// Takes the report of an admitted exchange.
    pub fn report(&mut self, pass: Pass, health: Health, now: Instant) {
        self.state = match (self.state, health) {
            (BreakerState::Closed { .. }, Health::Alive) => BreakerState::Closed { run: 0 },
            (BreakerState::Open { .. } | BreakerState::HalfOpen { .. }, Health::Alive) => {
                self.epoch += 1;
                BreakerState::Closed { run: 0 }
            }
            // An exchange that began before the origin recovered says nothing about its present health.
            (state @ BreakerState::Closed { .. }, Health::Outage) if pass.epoch != self.epoch => state,
            (BreakerState::Closed { run }, Health::Outage)
                if self.failures == 0 || run + 1 < self.failures =>
            {
                BreakerState::Closed {
                    run: run.saturating_add(1),
                }
            }
            (BreakerState::Closed { .. }, Health::Outage) => BreakerState::Open {
                probe_at: now + self.probe_interval,
            },
            (BreakerState::Open { probe_at } | BreakerState::HalfOpen { probe_at }, Health::Outage) => {
                BreakerState::Open { probe_at }
            }
        };
    }

    /// Whether exchanges pass.
    pub fn position(&self) -> Position {
        match self.state {
            BreakerState::Closed { .. } => Position::Closed,
            BreakerState::HalfOpen { .. } => Position::HalfOpen,
            BreakerState::Open { .. } => Position::Open,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn breaker(failures: usize) -> Breaker {
        Breaker::new(&BreakerSettings {
            failures,
            probe_interval: SECOND,
        })
    }

    fn run(breaker: &mut Breaker, healths: &[Health], now: Instant) {
        for health in healths {
            let pass = breaker.ask(now).expect("it is closed");
            breaker.report(pass, *health, now);
        }
    }

    use Health::{Alive, Outage};

    #[test]
    fn only_a_run_of_outages_opens_it() {
        let now = Instant::now();
        for (failures, healths, expected) in [
            (3, &[Outage, Outage][..], Position::Closed),
            (3, &[Outage, Outage, Alive, Outage, Outage], Position::Closed),
            (3, &[Outage, Outage, Outage], Position::Open),
            (1, &[Outage], Position::Open),
            (0, &[Outage; 50], Position::Closed),
        ] {
            let mut breaker = breaker(failures);
            run(&mut breaker, healths, now);
            assert_eq!(breaker.position(), expected, "{failures} {healths:?}");
        }
    }

    #[test]
    fn one_probe_passes_each_interval() {
        let start = Instant::now();
        let mut breaker = breaker(1);
        run(&mut breaker, &[Outage], start);
        assert_eq!(breaker.ask(start + SECOND / 4), Err(SECOND * 3 / 4));

        assert!(breaker.ask(start + SECOND).is_ok());
        assert_eq!(breaker.position(), Position::HalfOpen);
        assert_eq!(breaker.ask(start + SECOND), Err(SECOND));
        // The probe never reports.
        let second = breaker.ask(start + SECOND * 2).expect("the next probe");
        breaker.report(second, Outage, start + SECOND * 2);

        assert_eq!(breaker.position(), Position::Open);
        assert_eq!(breaker.ask(start + SECOND * 5 / 2), Err(SECOND / 2));
    }

    #[test]
    fn a_sign_of_life_closes_it() {
        let start = Instant::now();
        let mut breaker = breaker(2);
        let late = breaker.ask(start).expect("it is closed");
        run(&mut breaker, &[Outage, Outage], start);
        let probe = breaker.ask(start + SECOND).expect("a probe");

        breaker.report(probe, Alive, start + SECOND);

        assert_eq!(breaker.position(), Position::Closed);
        for _ in 0..3 {
            breaker.report(late, Outage, start + SECOND);
        }
        assert_eq!(breaker.position(), Position::Closed);
        run(&mut breaker, &[Outage, Outage], start + SECOND);
        assert_eq!(breaker.position(), Position::Open);
    }
}
