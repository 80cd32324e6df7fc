//! The circuit breaker of a backend: a state machine without a clock of its own (T-72).

use std::time::{Duration, Instant};

use crate::settings::BreakerSettings;

/// Closed until a run of outages opens it; then it admits one probe per interval.
#[derive(Debug)]
pub struct Breaker {
    /// Consecutive outages that open it; zero: it never opens.
    failures: usize,
    probe_interval: Duration,
    /// Consecutive outages while it is closed.
    run: usize,
    /// The time at which the next probe may pass; none: it is closed.
    probe_at: Option<Instant>,
    /// A probe has passed since the last report.
    is_probed: bool,
    /// Number of times it has closed.
    epoch: u64,
}

/// The position of a breaker in log lines and metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// All exchanges pass.
    Closed = 0,
    /// Only a probe passes.
    HalfOpen = 1,
    /// No exchange passes.
    Open = 2,
}

/// The health of an origin, as shown by one exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    /// It responds; an error of its application is a response too.
    Alive,
    /// It cannot be reached, hangs, breaks off, or reports that it is out of service.
    Outage,
}

/// The admission of one exchange, by the epoch in which it began; it is handed back with the report.
pub type Pass = u64;

// === impl Breaker ===

impl Breaker {
    /// A closed breaker.
    pub fn new(settings: &BreakerSettings) -> Self {
        Self {
            failures: settings.failures,
            probe_interval: settings.probe_interval,
            run: 0,
            probe_at: None,
            is_probed: false,
            epoch: 0,
        }
    }

    /// Admits an exchange while it is closed, and else one probe in each interval.
    ///
    /// # Errors
    ///
    /// The time until the next probe.
    pub fn admit(&mut self, now: Instant) -> Result<Pass, Duration> {
        if let Some(probe_at) = &mut self.probe_at {
            if now < *probe_at {
                return Err(*probe_at - now);
            }
            // A probe that hangs, or whose client disconnected, does not delay the next one.
            *probe_at = now + self.probe_interval;
            self.is_probed = true;
        }
        Ok(self.epoch)
    }

    /// Takes the report of an admitted exchange.
    pub fn report(&mut self, pass: Pass, health: Health, now: Instant) {
        self.is_probed = false;
        match health {
            Health::Alive => {
                let was_open = self.probe_at.take().is_some();
                self.epoch += u64::from(was_open);
                self.run = 0;
            }
            Health::Outage if self.probe_at.is_some() => {}
            // An exchange that began before the origin recovered shows nothing about its present health.
            Health::Outage if pass != self.epoch => {}
            Health::Outage => {
                self.run = self.run.saturating_add(1);
                if self.failures > 0 && self.run >= self.failures {
                    self.probe_at = Some(now + self.probe_interval);
                }
            }
        }
    }

    /// The position, which decides whether exchanges pass.
    pub const fn position(&self) -> Position {
        match self.probe_at {
            None => Position::Closed,
            Some(_) if self.is_probed => Position::HalfOpen,
            Some(_) => Position::Open,
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
            let pass = breaker.admit(now).expect("it is closed");
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
        assert_eq!(breaker.admit(start + SECOND / 4), Err(SECOND * 3 / 4));

        assert!(breaker.admit(start + SECOND).is_ok());
        assert_eq!(breaker.position(), Position::HalfOpen);
        assert_eq!(breaker.admit(start + SECOND), Err(SECOND));
        // The probe never reports.
        let second = breaker.admit(start + SECOND * 2).expect("the next probe");
        breaker.report(second, Outage, start + SECOND * 2);

        assert_eq!(breaker.position(), Position::Open);
        assert_eq!(breaker.admit(start + SECOND * 5 / 2), Err(SECOND / 2));
    }

    #[test]
    fn a_sign_of_life_closes_it() {
        let start = Instant::now();
        let mut breaker = breaker(2);
        let late = breaker.admit(start).expect("it is closed");
        run(&mut breaker, &[Outage, Outage], start);
        let probe = breaker.admit(start + SECOND).expect("a probe");

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
