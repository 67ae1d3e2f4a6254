//! Plots as inline SVG.
//!
//! Owns: axes, lines, legends. Never does: know what is plotted. Invariants: a plot of anything is well-formed, of
//! nothing too. Known limits: lines over one horizontal axis.

use std::fmt::Write;

const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 236.0;
/// Left, right, top, bottom.
const MARGIN: (f64, f64, f64, f64) = (56.0, 14.0, 34.0, 32.0);

/// A line of a plot.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) name: &'static str,
    /// A class of the page's style.
    pub(crate) class: &'static str,
    /// Places from left to right.
    pub(crate) points: Vec<(f64, f64)>,
}

/// What stands on the horizontal axis.
#[derive(Debug, Clone)]
pub(crate) struct Ticks {
    /// First and last place.
    pub(crate) range: (f64, f64),
    /// Places with a mark, and what it says.
    pub(crate) marks: Vec<(f64, String)>,
}

/// A plot; its vertical axis is logarithmic when asked for.
#[derive(Debug, Clone)]
pub(crate) struct Plot {
    pub(crate) title: &'static str,
    pub(crate) logarithmic: bool,
    pub(crate) across: Ticks,
    pub(crate) lines: Vec<Line>,
    /// How a mark of a vertical axis that is not logarithmic is written.
    pub(crate) show: fn(f64) -> String,
}

/// Escapes a text for HTML.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A step of 1, 2 or 5 times a power of ten that divides `range` into about `parts`.
fn step(range: f64, parts: f64) -> f64 {
    let rough = (range / parts).max(f64::MIN_POSITIVE);
    let power = 10f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|times| times * power).into_iter().find(|s| *s >= rough).unwrap_or(10.0 * power)
}

/// Seconds from zero to `to`.
pub(crate) fn seconds(to: f64) -> Ticks {
    let step = step(to, 6.0);
    let marks = (0..=12).map(|n| f64::from(n) * step).take_while(|at| *at <= to * 1.001);
    Ticks { range: (0.0, to), marks: marks.map(|at| (at, format!("{at} s"))).collect() }
}

struct Vertical {
    from: f64,
    to: f64,
    marks: Vec<f64>,
    logarithmic: bool,
}

impl Vertical {
    fn of(plot: &Plot) -> Vertical {
        let values = plot.lines.iter().flat_map(|l| l.points.iter().map(|p| p.1)).filter(|v| v.is_finite());
        let (least, most) = values.fold((f64::INFINITY, 0.0_f64), |(a, b), v| (a.min(v), b.max(v)));
        if !plot.logarithmic || most <= 0.0 {
            let step = step(most.max(1e-9), 4.0);
            let count = (most / step).ceil().max(1.0);
            let marks = (0..=count as u32).map(|n| f64::from(n) * step).collect();
            return Vertical { from: 0.0, to: count * step, marks, logarithmic: false };
        }
        let (from, to) = (least.max(most / 1e6).log10().floor(), most.log10().ceil());
        let to = if to <= from { from + 1.0 } else { to };
        let marks = (from as i32..=to as i32).map(|power| 10f64.powi(power)).collect();
        Vertical { from, to, marks, logarithmic: true }
    }

    fn place(&self, value: f64) -> f64 {
        let value = if self.logarithmic { value.max(1e-12).log10() } else { value };
        let share = ((value - self.from) / (self.to - self.from)).clamp(0.0, 1.0);
        HEIGHT - MARGIN.3 - share * (HEIGHT - MARGIN.2 - MARGIN.3)
    }
}

impl Plot {
    fn across(&self, at: f64) -> f64 {
        let (from, to) = self.across.range;
        let share = ((at - from) / (to - from).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        MARGIN.0 + share * (WIDTH - MARGIN.0 - MARGIN.1)
    }

    /// The plot as an element of a page.
    pub(crate) fn svg(&self) -> String {
        let vertical = Vertical::of(self);
        let mut out = format!(
            r#"<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}"><text class="title" x="{x}" y="18">{title}</text>"#,
            title = escape(self.title),
            x = MARGIN.0,
        );
        let written = self.body(&vertical, &mut out);
        debug_assert!(written.is_ok(), "a text takes any text");
        out + "</svg>"
    }

    fn body(&self, vertical: &Vertical, out: &mut String) -> std::fmt::Result {
        let (left, right, bottom) = (MARGIN.0, WIDTH - MARGIN.1, HEIGHT - MARGIN.3);
        for mark in &vertical.marks {
            let y = vertical.place(*mark);
            let text = escape(&if vertical.logarithmic { mark.to_string() } else { (self.show)(*mark) });
            write!(out, r#"<line class="grid" x1="{left}" x2="{right}" y1="{y:.1}" y2="{y:.1}"/>"#)?;
            write!(
                out,
                r#"<text class="mark" x="{:.1}" y="{:.1}" text-anchor="end">{text}</text>"#,
                left - 8.0,
                y + 4.0
            )?;
        }
        for (at, text) in &self.across.marks {
            let (x, text) = (self.across(*at), escape(text));
            write!(out, r#"<line class="tick" x1="{x:.1}" x2="{x:.1}" y1="{bottom}" y2="{:.1}"/>"#, bottom + 4.0)?;
            write!(
                out,
                r#"<text class="mark" x="{x:.1}" y="{:.1}" text-anchor="middle">{text}</text>"#,
                bottom + 18.0
            )?;
        }
        let mut legend = right;
        for line in self.lines.iter().rev() {
            let path: Vec<String> = line
                .points
                .iter()
                .filter(|(_, value)| value.is_finite())
                .map(|(at, value)| format!("{:.1},{:.1}", self.across(*at), vertical.place(*value)))
                .collect();
            let class = line.class;
            match path.as_slice() {
                [] => {}
                [only] => {
                    let (x, y) = only.split_once(',').unwrap_or_default();
                    write!(out, r#"<circle class="dot {class}" cx="{x}" cy="{y}" r="3"/>"#)?;
                }
                more => write!(out, r#"<polyline class="{class}" points="{}"/>"#, more.join(" "))?,
            }
            let text = escape(line.name);
            write!(out, r#"<text class="mark" x="{legend:.1}" y="18" text-anchor="end">{text}</text>"#)?;
            legend -= 7.0 * line.name.chars().count() as f64 + 8.0;
            write!(out, r#"<line class="{class}" x1="{:.1}" x2="{legend:.1}" y1="14" y2="14"/>"#, legend - 14.0)?;
            legend -= 26.0;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_stand_at_round_numbers() {
        assert_eq!([step(9.0, 4.0), step(40.0, 4.0), step(0.3, 4.0)], [5.0, 10.0, 0.1]);
        let marks: Vec<String> = seconds(10.0).marks.into_iter().map(|m| m.1).collect();
        assert_eq!(marks, ["0 s", "2 s", "4 s", "6 s", "8 s", "10 s"]);
    }
}
