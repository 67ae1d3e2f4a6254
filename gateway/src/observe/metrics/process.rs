//! Process metrics from the operating system: memory, files, processor time, also by thread.
//!
//! Owns: reading `/proc/self`. Never does: keep anything. Invariants: an unreadable figure is left out, not reported as zero.
//! Known limits: Linux; the tick of its clocks is a hundredth of a second.

use std::collections::BTreeMap;
use std::fs;

/// Ticks of a second in `/proc`: what Linux tells user space on every architecture that it runs on today.
const TICKS: f64 = 100.0;

/// Resident memory, in bytes.
#[must_use]
pub fn resident() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib * 1_024)
}

/// Open file descriptors.
#[must_use]
pub fn open_files() -> Option<u64> {
    // The folder that is being read is one of them.
    fs::read_dir("/proc/self/fd").ok().map(|all| all.count().saturating_sub(1) as u64)
}

/// How many it may open.
#[must_use]
pub fn most_files() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/limits").ok()?;
    let line = text.lines().find(|line| line.starts_with("Max open files"))?;
    line.split_whitespace().nth(3)?.parse().ok()
}

/// Name and processor seconds of what a `stat` file is about.
fn stat(text: &str) -> Option<(&str, f64)> {
    // The name is in brackets and may hold anything, brackets too.
    let (begin, end) = (text.find('(')?, text.rfind(')')?);
    let mut fields = text.get(end + 1..)?.split_whitespace().skip(11);
    let ticks = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
    Some((text.get(begin + 1..end)?, ticks as f64 / TICKS))
}

/// Processor seconds since the start.
#[must_use]
pub fn processor() -> Option<f64> {
    stat(&fs::read_to_string("/proc/self/stat").ok()?).map(|(_, seconds)| seconds)
}

/// A thread's name without the number of it among its like.
fn family(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches([':', '-', '_', ' '])
}

/// Threads and their processor seconds, by name.
#[must_use]
pub fn threads() -> BTreeMap<String, (u64, f64)> {
    let mut found: BTreeMap<String, (u64, f64)> = BTreeMap::new();
    let Ok(all) = fs::read_dir("/proc/self/task") else { return found };
    for thread in all.flatten() {
        // One that ended meanwhile is not there any more.
        let Ok(text) = fs::read_to_string(thread.path().join("stat")) else { continue };
        if let Some((name, seconds)) = stat(&text) {
            let entry = found.entry(family(name).to_owned()).or_default();
            *entry = (entry.0 + 1, entry.1 + seconds);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_spaces_does_not_move_the_fields() {
        let line = "42 (a) b (c) R 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20";
        assert_eq!(stat(line), Some(("a) b (c", 2.0)));
    }

    #[test]
    fn threads_of_a_kind_are_one() {
        let names = ["actix-rt|system:0", "arbiter:12", "journal-writer", "tokio-2"].map(family);
        assert_eq!(names, ["actix-rt|system", "arbiter", "journal-writer", "tokio"]);
    }

    #[test]
    fn this_process_has_memory_files_and_threads() {
        assert!(resident().unwrap() > 1 << 20 && open_files().unwrap() > 2 && most_files().unwrap() > 2);
        assert!(processor().is_some() && threads().values().map(|(n, _)| n).sum::<u64>() > 0);
    }
}
