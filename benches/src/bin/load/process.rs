//! What a process costs, as the kernel tells it.
//!
//! Owns: reading `/proc`. Never does: end or change a process. Invariants: a number is either the kernel's or none.
//! Known limits: Linux; memory that the kernel keeps for sockets belongs to no process and is told for the machine.

use std::fs;
use std::time::{Duration, Instant};

/// Clock ticks of `/proc` in a second: Linux shows 100 to programs whatever it uses itself.
const TICKS: f64 = 100.0;

/// Processor time since a moment.
#[derive(Debug, Clone)]
pub(crate) struct Cpu {
    stat: String,
    begun: Option<Duration>,
    at: Instant,
}

impl Cpu {
    /// From now on, of this process.
    pub(crate) fn of_this_process() -> Cpu {
        Cpu::of_stat("/proc/self/stat".into())
    }

    /// From now on, of another.
    pub(crate) fn of(pid: u32) -> Cpu {
        Cpu::of_stat(format!("/proc/{pid}/stat"))
    }

    /// From now on, of the thread that calls.
    pub(crate) fn of_this_thread() -> Cpu {
        Cpu::of_stat(format!("/proc/self/task/{}/stat", rustix::thread::gettid().as_raw_nonzero()))
    }

    fn of_stat(stat: String) -> Cpu {
        Cpu { begun: spent(&stat), stat, at: Instant::now() }
    }

    /// Cores that it used since; zero when nobody tells.
    pub(crate) fn cores(&self) -> f64 {
        let spent =
            spent(&self.stat).zip(self.begun).map_or(0.0, |(now, begun)| (now.saturating_sub(begun)).as_secs_f64());
        spent / self.at.elapsed().as_secs_f64().max(0.001)
    }
}

fn spent(stat: &str) -> Option<Duration> {
    let text = fs::read_to_string(stat).ok()?;
    // The name in brackets may hold anything; user and system time are the 12th and 13th field behind it.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(Duration::from_secs_f64(ticks as f64 / TICKS))
}

/// Memory of a process in KiB.
pub(crate) fn resident_kib(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Open file descriptors of a process.
pub(crate) fn descriptors(pid: u32) -> Option<u64> {
    Some(fs::read_dir(format!("/proc/{pid}/fd")).ok()?.count() as u64)
}

/// Memory that the kernel keeps for all TCP sockets of the machine, in KiB.
pub(crate) fn kernel_tcp_kib() -> Option<u64> {
    let text = fs::read_to_string("/proc/net/sockstat").ok()?;
    let mut words = text.lines().find_map(|line| line.strip_prefix("TCP:"))?.split_whitespace();
    words.find(|word| *word == "mem")?;
    Some(words.next()?.parse::<u64>().ok()? * rustix::param::page_size() as u64 / 1_024)
}

/// The process that listens on a local port, when this one may see it.
pub(crate) fn listener(port: u16) -> Option<u32> {
    let wanted = format!(":{port:04X}");
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(|path| fs::read_to_string(path).unwrap_or_default());
    let inode = tables.iter().flat_map(|table| table.lines()).find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let listens = fields.get(1)?.ends_with(&wanted) && *fields.get(3)? == "0A";
        listens.then(|| fields.get(9).map(|inode| format!("socket:[{inode}]")))?
    })?;
    let processes = fs::read_dir("/proc").ok()?.flatten();
    let mut pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.find(|pid| {
        let open = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        open.filter_map(|fd| fs::read_link(fd.path()).ok()).any(|target| target.as_os_str() == inode.as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_finds_itself_by_its_port_and_knows_what_it_costs() {
        let listening = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let me = std::process::id();
        assert_eq!(listener(listening.local_addr().unwrap().port()), Some(me));
        assert!(resident_kib(me).unwrap() > 100);
        assert!(kernel_tcp_kib().is_some());
        let open = descriptors(me).unwrap();
        let more = listening.try_clone().unwrap();
        assert!(descriptors(me).unwrap() > open.saturating_sub(1));
        drop(more);
    }
}
