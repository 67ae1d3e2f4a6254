//! Readers that stall: they subscribe and never read.
//!
//! Owns: such sockets, and what the kernel says of the server meanwhile. Never does: read from them, answer a ping.
//! Invariants: they are gone when the server has no more open files than before the first of them, for a moment at
//! least. Known limits: other connections that come and go meanwhile blur what is told by a few files.

use crate::Failure;
use crate::process::{descriptors, kernel_tcp_kib, resident_kib};
use crate::sockets::{Opened, Streams, open_one};
use crate::table::whole;
use std::time::{Duration, Instant};

/// The server is looked at this often.
const LOOK: Duration = Duration::from_millis(50);
/// Files that may come and go for other reasons.
const OTHER_FILES: u64 = 6;

/// What they cost.
#[derive(Debug)]
pub(crate) struct Stalled {
    count: usize,
    files_each: f64,
    resident_kib_each: f64,
    kernel_kib_each: f64,
    /// After the last of them was opened.
    gone: Option<Duration>,
    left: u64,
    watched: bool,
}

impl Stalled {
    /// Opens so many, and looks at the server until `until` or until they are gone.
    pub(crate) fn watch(
        streams: &Streams,
        count: usize,
        receive: u32,
        server: Option<u32>,
        until: Instant,
    ) -> Result<Stalled, Failure> {
        let look = || {
            let pid = server?;
            Some((descriptors(pid)?, resident_kib(pid)?, kernel_tcp_kib()?))
        };
        let before = look();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let held: Vec<Opened> = runtime.block_on(async {
            let mut held = Vec::with_capacity(count);
            for _ in 0..count {
                held.push(open_one(streams.clone(), Some(receive).filter(|bytes| *bytes > 0)).await?);
            }
            Ok::<_, std::io::Error>(held)
        })?;
        let opened = Instant::now();
        let (mut most, mut gone, mut left) = (before.unwrap_or_default(), None, 0);
        while let Some((files, resident, kernel)) = before.and_then(|_| look()) {
            most = (most.0.max(files), most.1.max(resident), most.2.max(kernel));
            left = files.saturating_sub(before.map_or(0, |b| b.0));
            if left <= OTHER_FILES && most.0 > files + OTHER_FILES {
                gone = Some(opened.elapsed());
                break;
            }
            if Instant::now() >= until {
                break;
            }
            std::thread::sleep(LOOK);
        }
        // This side holds them to the end, as a reader that stalls does.
        std::thread::sleep(until.saturating_duration_since(Instant::now()));
        drop(held);
        let begun = before.unwrap_or_default();
        let each = |most: u64, begun: u64| most.saturating_sub(begun) as f64 / count.max(1) as f64;
        Ok(Stalled {
            count,
            files_each: each(most.0, begun.0),
            resident_kib_each: each(most.1, begun.1),
            kernel_kib_each: each(most.2, begun.2),
            gone,
            left,
            watched: before.is_some(),
        })
    }

    /// Findings.
    pub(crate) fn notes(&self) -> Vec<(String, String)> {
        if !self.watched {
            return Vec::new();
        }
        let gone = match self.gone {
            Some(after) => format!("{:.1} s after the last was opened, with their files", after.as_secs_f64()),
            None => format!("not all: {} files more than before", whole(self.left as f64)),
        };
        let cost = format!(
            "{:.0} KiB of the server, {:.0} KiB of the kernel for both ends, {:.1} files",
            self.resident_kib_each, self.kernel_kib_each, self.files_each
        );
        vec![
            (format!("{} stalled sockets gone", whole(self.count as f64)), gone),
            ("a stalled socket costs at most".into(), cost),
        ]
    }
}
