//! The file of recorded counts: the toolchain, then a line a function, tab-separated.
//!
//! Owns: its form. Never does: judge. Invariants: what is written reads back. Known limits: none.

use crate::Failed;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Instructions by name.
pub(crate) type Counts = BTreeMap<String, u64>;

/// The first column of the line that names the compiler.
const TOOLCHAIN: &str = "toolchain";
const HEAD: &str = "# Instructions of the hot functions: written by `make record-counts`, compared by `make test-counts`.\n\
                    # Record in the commit that changes them, and say there why.\n";

/// What stands in the file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Table {
    /// The compiler that it was counted with.
    pub(crate) toolchain: String,
    /// Instructions by name.
    pub(crate) counts: Counts,
}

impl Table {
    fn parse(text: &str) -> Result<Table, Failed> {
        let mut table = Table { toolchain: String::new(), counts: Counts::new() };
        for (n, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.starts_with('#')) {
            let bad = || format!("line {n} is not a name, a tab and a number: {line}");
            let (name, value) = line.split_once('\t').ok_or_else(bad)?;
            if name == TOOLCHAIN {
                table.toolchain = value.to_owned();
            } else if table.counts.insert(name.to_owned(), value.parse().map_err(|_| bad())?).is_some() {
                return Err(format!("line {n}: {name} stands there twice").into());
            }
        }
        if table.toolchain.is_empty() {
            return Err(format!("no line names the {TOOLCHAIN}").into());
        }
        Ok(table)
    }

    fn text(&self) -> String {
        let mut text = format!("{HEAD}{TOOLCHAIN}\t{}\n", self.toolchain);
        for (name, count) in &self.counts {
            let _ = writeln!(text, "{name}\t{count}");
        }
        text
    }

    pub(crate) fn read(path: &Path) -> Result<Table, Failed> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Table::parse(&text).map_err(|error| format!("{}: {error}", path.display()).into())
    }

    pub(crate) fn write(&self, path: &Path) -> Result<(), Failed> {
        std::fs::write(path, self.text()).map_err(|error| format!("{}: {error}", path.display()).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back_and_a_damaged_file_is_refused() {
        let counts = Counts::from([("book::take::among_10k".into(), 12), ("edge::parse::json".into(), u64::MAX)]);
        let table = Table { toolchain: "rustc 1.2.3 for a machine".into(), counts };
        assert_eq!(Table::parse(&table.text()).unwrap(), table);
        let with_toolchain = |line: &str| Table::parse(&format!("{TOOLCHAIN}\trustc 1.2.3\n{line}"));
        assert!(with_toolchain("book::take\t12\n").is_ok());
        assert!(with_toolchain("book::take 12\n").is_err(), "no tab");
        assert!(with_toolchain("book::take\t1e3\n").is_err(), "no number");
        assert!(with_toolchain("a\t1\na\t2\n").is_err(), "twice");
        assert!(Table::parse("a\t1\n").is_err(), "no toolchain");
    }
}
