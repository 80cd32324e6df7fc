//! The process as the kernel sees it, with the names that every Prometheus library uses.

use std::fmt;
use std::fs;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

use super::wall_clock::unix_time;

/// Reads the figures of this process at each scrape; there are none where there is no `/proc`.
#[derive(Debug)]
pub(super) struct ProcessFigures {
    started: f64,
}

/// The memory in use, and the most that the control group of the process may use, in bytes; none where it is not known.
pub(crate) fn process_memory() -> (Option<u64>, Option<u64>) {
    let used = kernel_figures().map(|(_, resident_bytes)| resident_bytes);
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let group = groups.lines().find_map(|line| line.strip_prefix("0::"));
    let limit = group.and_then(|group| fs::read_to_string(format!("/sys/fs/cgroup{group}/memory.max")).ok());
    (used, limit.and_then(|limit| limit.trim().parse().ok()))
}

/// The open files and sockets, and the most that may be; none where it is not known.
pub(crate) fn process_files() -> (Option<u64>, Option<u64>) {
    // One of them lists the others.
    let open = fs::read_dir("/proc/self/fd").map(|open| open.count().saturating_sub(1));
    let open = open.ok().and_then(|open| u64::try_from(open).ok());
    (
        open,
        rustix::process::getrlimit(rustix::process::Resource::Nofile).current,
    )
}

// === impl ProcessFigures ===

impl ProcessFigures {
    /// The process has started now.
    pub(super) fn new() -> Self {
        Self {
            started: unix_time().since_epoch().as_secs_f64(),
        }
    }
}

impl Collector for ProcessFigures {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let figures = kernel_figures();
        if let Some((cpu_seconds, _)) = figures {
            let cpu = ConstCounter::new(cpu_seconds);
            let metric = encoder.encode_descriptor(
                "process_cpu_seconds",
                "Processor time used",
                None,
                cpu.metric_type(),
            )?;
            cpu.encode(metric)?;
        }
        let (open, most) = process_files();
        let memory = figures.map(|(_, resident_bytes)| resident_bytes);
        for (name, help, value) in [
            (
                "process_start_time_seconds",
                "When the edge started, since 1970",
                Some(self.started),
            ),
            (
                "process_resident_memory_bytes",
                "Memory in use",
                memory.map(float),
            ),
            ("process_open_fds", "Open files and sockets", open.map(float)),
            (
                "process_max_fds",
                "The most open files and sockets",
                most.map(float),
            ),
        ] {
            if let Some(gauge) = value.map(ConstGauge::new) {
                gauge.encode(encoder.encode_descriptor(name, help, None, gauge.metric_type())?)?;
            }
        }
        Ok(())
    }
}

/// Figures are small enough to be exact.
#[allow(clippy::cast_precision_loss, reason = "memory and counts are below 2^53")]
const fn float(value: u64) -> f64 {
    value as f64
}

/// The processor time in seconds, and the memory in use in bytes.
fn kernel_figures() -> Option<(f64, u64)> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let page = u64::try_from(rustix::param::page_size()).ok()?;
    parse(&stat, rustix::param::clock_ticks_per_second(), page)
}

/// Reads `/proc/self/stat`: after the name in brackets, which may hold anything, come numbers.
fn parse(stat: &str, ticks: u64, page: u64) -> Option<(f64, u64)> {
    let (_, numbers) = stat.rsplit_once(')')?;
    let numbers: Vec<&str> = numbers.split_ascii_whitespace().collect();
    // proc_pid_stat(5) counts from 1 and counts the id and the name, which are cut off.
    let field = |position: usize| numbers.get(position - 3)?.parse::<u64>().ok();
    let cpu_seconds = float(field(14)? + field(15)?) / float(ticks.max(1));
    Some((cpu_seconds, field(24)?.saturating_mul(page)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_stand_behind_the_name() {
        let stat = "42 (a) b (c) S 1 42 42 0 -1 4194304 100 0 0 0 250 150 0 0 20 0 7 0 1000 8192 3 18446744073709551615";
        assert_eq!(parse(stat, 100, 4096), Some((4.0, 3 * 4096)));
        assert_eq!(parse("42 (a) S 1", 100, 4096), None);
    }
}
