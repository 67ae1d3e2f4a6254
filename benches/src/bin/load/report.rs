//! The report: one HTML file that asks nobody for anything.
//!
//! Owns: the page. Never does: measure. Invariants: well-formed as XML too, so that a test can read it; no address is
//! in it. Known limits: dark only.

use crate::plot::{Line, Plot, Ticks, escape, seconds};
use crate::recorder::{Measured, millis};
use crate::table::{COLUMNS, Run, cells, ms, whole};
use std::fmt::Write;
use xng_gateway::common::time::{now_ms, ts};

const STYLE: &str = "
:root { color-scheme: dark; --ground: #0b0e14; --card: #121722; --line: #232b3a; --text: #e6eaf2; --soft: #8b96a9;
  --blue: #4f9cff; --gold: #f0b90b; --red: #ff5c6c; --green: #2ebd85; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1360px; margin: 0 auto; padding: 40px 24px 64px; }
h1 { font-size: 28px; margin: 0 0 4px; letter-spacing: -0.02em; }
h2 { font-size: 18px; margin: 0 0 12px; }
p { margin: 0; color: var(--soft); }
code { font: 13px ui-monospace, monospace; color: var(--text); overflow-wrap: anywhere; }
header { margin-bottom: 28px; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 20px; margin-top: 20px; }
.tiles { display: flex; flex-wrap: wrap; gap: 28px; margin-bottom: 8px; }
.tiles b { display: block; font-size: 24px; font-weight: 600; font-variant-numeric: tabular-nums; }
.tiles span { color: var(--soft); font-size: 13px; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(340px, 1fr)); gap: 16px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 12.5px; }
th, td { text-align: right; padding: 7px 8px; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { color: var(--soft); font-weight: 500; }
th:first-child, td:first-child { text-align: left; }
tr:last-child td { border-bottom: 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 20px; margin: 16px 0 0; font-size: 13px; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
dd.bad { color: var(--red); }
svg { width: 100%; height: auto; display: block; }
svg text { fill: var(--soft); font: 11px system-ui, sans-serif; }
svg .title { fill: var(--text); font-size: 13px; font-weight: 600; }
svg .grid { stroke: var(--line); }
svg .tick { stroke: var(--soft); }
svg polyline, svg line.a, svg line.b, svg line.c { fill: none; stroke-width: 2; stroke-linejoin: round; }
.a { stroke: var(--blue); } .b { stroke: var(--gold); } .c { stroke: var(--red); }
.d { stroke: var(--green); fill: none; stroke-width: 2; }
.dot { stroke: none; } .dot.a { fill: var(--blue); } .dot.b { fill: var(--gold); } .dot.c { fill: var(--red); }
.dot.d { fill: var(--green); }
";

/// The page.
pub(crate) fn html(runs: &[Run], command: &str) -> String {
    let mut out = String::new();
    let written = page(runs, command, &mut out);
    debug_assert!(written.is_ok(), "a text takes any text");
    out
}

fn page(runs: &[Run], command: &str, out: &mut String) -> std::fmt::Result {
    write!(
        out,
        r#"<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"/><meta name="viewport" content="width=device-width, initial-scale=1"/><title>Load report</title><style>{STYLE}</style></head><body><main>"#
    )?;
    write!(out, "<header><h1>Load report</h1><p>{} UTC · {}</p>", escape(&ts(now_ms())), escape(&machine()))?;
    write!(out, "<p><code>load {}</code></p></header>", escape(command))?;
    out.push_str("<section><h2>All runs</h2><div class=\"scroll\"><table><thead><tr>");
    for column in COLUMNS {
        write!(out, "<th>{column}</th>")?;
    }
    out.push_str("</tr></thead><tbody>");
    for run in runs {
        out.push_str("<tr>");
        for cell in cells(run) {
            write!(out, "<td>{}</td>", escape(&cell))?;
        }
        out.push_str("</tr>");
    }
    out.push_str("</tbody></table></div></section>");
    for run in runs {
        section(run, out)?;
    }
    out.push_str(
        "<section><p>Latency of an open loop counts from the time at which a request should have been sent, \
         whether or not it could be: what a user would have waited. That of a closed loop counts from when it was sent. \
         Messages count from the event time that they name, in whole milliseconds. Windows are stretches of the run.</p>\
         </section></main></body></html>",
    );
    Ok(())
}

fn section(run: &Run, out: &mut String) -> std::fmt::Result {
    let m = &run.measured;
    write!(out, "<section><h2>{}</h2><div class=\"tiles\">", escape(&run.name))?;
    let tiles = [
        (whole(m.rate()), format!("{} a second", run.unit)),
        (ms(m.at(0.5)), "ms p50".into()),
        (ms(m.at(0.99)), "ms p99".into()),
        (ms(m.at(0.999)), "ms p99.9".into()),
        (whole(m.errors.values().sum::<u64>() as f64), "errors".into()),
    ];
    for (figure, what) in tiles {
        write!(out, "<div><b>{}</b><span>{}</span></div>", escape(&figure), escape(&what))?;
    }
    write!(
        out,
        "</div><div class=\"plots\">{}{}{}</div>",
        over_time(m).svg(),
        percentiles(m).svg(),
        throughput(run).svg()
    )?;
    if !(run.notes.is_empty() && m.errors.is_empty()) {
        out.push_str("<dl>");
        for (name, text) in &run.notes {
            write!(out, "<dt>{}</dt><dd>{}</dd>", escape(name), escape(text))?;
        }
        for (kind, count) in &m.errors {
            write!(out, "<dt>error: {}</dt><dd class=\"bad\">{count}</dd>", escape(kind))?;
        }
        out.push_str("</dl>");
    }
    out.push_str("</section>");
    Ok(())
}

/// The middle of each window, in seconds.
fn middles(m: &Measured) -> impl Iterator<Item = f64> {
    (0..m.windows.len()).map(|n| m.window.as_secs_f64() * n as f64 + m.seconds(n) / 2.0)
}

fn over_time(m: &Measured) -> Plot {
    let line = |name, class, quantile| {
        let due = middles(m).zip(&m.windows).filter(|(_, w)| !w.latency.is_empty());
        Line { name, class, points: due.map(|(at, w)| (at, millis(&w.latency, quantile))).collect() }
    };
    let lines = vec![line("p50", "a", 0.5), line("p99", "b", 0.99), line("max", "c", 1.0)];
    Plot { title: "Latency over time, ms", logarithmic: true, across: seconds(m.long.as_secs_f64()), lines, show: ms }
}

fn percentiles(m: &Measured) -> Plot {
    // As far to the right as nines are known.
    let nines = (m.latency.len().max(10) as f64).log10().clamp(1.0, 6.0);
    let names =
        [(0.0, "0"), (1.0, "90"), (2.0, "99"), (3.0, "99.9"), (4.0, "99.99"), (5.0, "99.999"), (6.0, "99.9999")];
    let marks = names.iter().filter(|(at, _)| *at <= nines).map(|(at, name)| (*at, format!("{name} %"))).collect();
    let count = 120;
    let at = (0..=count).map(|n| nines * f64::from(n) / f64::from(count));
    let points = at.filter(|_| !m.latency.is_empty()).map(|at| (at, m.at(1.0 - 10f64.powf(-at)))).collect();
    let lines = vec![Line { name: "all", class: "a", points }];
    Plot {
        title: "Latency by percentile, ms",
        logarithmic: true,
        across: Ticks { range: (0.0, nines), marks },
        lines,
        show: ms,
    }
}

fn throughput(run: &Run) -> Plot {
    let m = &run.measured;
    let long = m.long.as_secs_f64();
    let mut lines = Vec::new();
    if let Some(offered) = run.offered {
        lines.push(Line { name: "offered", class: "b", points: vec![(0.0, offered), (long, offered)] });
    }
    lines.push(Line { name: "achieved", class: "d", points: middles(m).zip(m.rates()).collect() });
    Plot { title: "Throughput, a second", logarithmic: false, across: seconds(long), lines, show: whole }
}

/// The machine, as the kernel tells it.
fn machine() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let info = read("/proc/cpuinfo");
    let model =
        info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':').map(|(_, name)| name.trim()));
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    format!(
        "{} · {cores} cores · Linux {}",
        model.unwrap_or("processor unknown"),
        read("/proc/sys/kernel/osrelease").trim()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::Recorder;
    use std::time::{Duration, Instant};

    /// Names of the elements that are open at the end, or what is wrong.
    fn unclosed(page: &str) -> Result<Vec<String>, String> {
        let mut open = Vec::new();
        let mut rest = page.strip_prefix("<!DOCTYPE html>").ok_or("no doctype")?;
        while let Some(at) = rest.find('<') {
            if rest[..at].contains('>') {
                return Err(format!("a stray > in {}", &rest[..at]));
            }
            let end = at + rest[at..].find('>').ok_or("a tag without an end")?;
            let tag = &rest[at + 1..end];
            if tag.matches('"').count() % 2 != 0 {
                return Err(format!("quotes of <{tag}>"));
            }
            let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default().to_owned();
            if tag.starts_with('/') {
                match open.pop() {
                    Some(last) if last == name => {}
                    other => return Err(format!("</{name}> closes {other:?}")),
                }
            } else if !tag.ends_with('/') {
                open.push(name);
            }
            rest = &rest[end + 1..];
        }
        Ok(open)
    }

    fn run(name: &str, count: u64) -> Run {
        let began = Instant::now();
        let recorder = Recorder::new(began, Duration::from_secs(5));
        for n in 0..count {
            let at = began + Duration::from_millis(n * 5_000 / count.max(1));
            recorder.batch().done(at, at + Duration::from_micros(200 + n), 1);
        }
        if count > 0 {
            recorder.batch().error("code 1005 <insufficient> & \"so\"");
        }
        let notes = vec![("a <note>".into(), "5 > 4 & 3".into())];
        Run { name: name.into(), offered: Some(100.0), unit: "orders", measured: recorder.measured(), notes }
    }

    #[test]
    fn the_report_is_well_formed_whatever_was_measured() {
        for count in [0, 1, 1_000] {
            let page = html(&[run("one <b>", count), run("two", count)], "http --url \"x\" <y>");
            assert_eq!(unclosed(&page), Ok(vec![]), "{count}");
            assert_eq!(page.matches("<svg").count(), 6);
            assert!(!page.contains("NaN") && !page.contains("inf"), "{count}");
        }
    }

    #[test]
    fn the_report_asks_nobody_for_anything() {
        let page = html(&[run("one", 10)], "in-process");
        for reference in ["http://", "https://", "src=", "href=", "url(", "@import", "<script", "<link"] {
            assert!(!page.contains(reference), "{reference}");
        }
    }
}
