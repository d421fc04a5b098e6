//! SVG for the parts of a picture: fills, strips, arrows, and their signs in the legend.

use super::palette::{colour, RED};
use super::picture::{ArrowKind, Fill, Sign, StripKind};
use core::fmt::Write;

pub(super) const INK: &str = "1f2328";

/// The hatch of overheads, the stripes of sections and the dots of spinning.
pub(super) const DEFINITIONS: &str = "<defs><pattern id=\"hatch\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\" \
patternTransform=\"rotate(45)\"><rect width=\"4\" height=\"4\" fill=\"#fff\"/><rect width=\"1.6\" height=\"4\" fill=\"#57606a\"/></pattern>\
<pattern id=\"stripes\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" \
patternTransform=\"rotate(-45)\"><rect width=\"1\" height=\"5\" fill=\"#1f2328\" fill-opacity=\".38\"/></pattern>\
<pattern id=\"dots\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\"><circle cx=\"2.5\" cy=\"2.5\" r=\"1.1\" fill=\"#1f2328\"/></pattern></defs>\n";

/// Returns the paints of a box, one over the other.
pub(super) fn paints(fill: Fill) -> Vec<String> {
    match fill {
        Fill::Colour(index) => vec![format!("#{}", colour(index))],
        Fill::Section(usize::MAX) => vec!["#fff".into(), "url(#stripes)".into()],
        Fill::Section(index) => vec![format!("#{}", colour(index)), "url(#stripes)".into()],
        Fill::Spinning(usize::MAX) => vec!["#fff".into(), "url(#dots)".into()],
        Fill::Spinning(index) => vec![format!("#{}", colour(index)), "url(#dots)".into()],
        Fill::Overhead => vec!["url(#hatch)".into()],
        Fill::Wasted => vec!["#e3e6ea".into()],
        Fill::Budget => vec!["#cfe3f5".into()],
    }
}

/// Least width of a bar, because microseconds in a picture of milliseconds would otherwise not be seen.
const LEAST: f64 = 3.0;

/// A bar on the line `y`.
fn bar(fill: &str, from: f64, to: f64, y: f64) -> String {
    let width = (to - from).max(LEAST);
    let left = (from + to - width) / 2.0;
    format!(
        "<rect x=\"{left:.2}\" y=\"{:.2}\" width=\"{width:.2}\" height=\"4\" fill=\"#{fill}\" stroke=\"#{INK}\" stroke-width=\".9\"/>",
        y - 4.0
    )
}

/// The bar of a box in which a job holds a resource, or spins for one.
pub(super) fn mark(fill: Fill, from: f64, to: f64, y: f64) -> Option<String> {
    match fill {
        Fill::Section(_) => Some(bar(INK, from, to, y)),
        Fill::Spinning(_) => Some(bar(RED, from, to, y)),
        Fill::Colour(_) | Fill::Overhead | Fill::Wasted | Fill::Budget => None,
    }
}

pub(super) fn strip_path(kind: StripKind, from: f64, to: f64, y: f64, height: f64) -> String {
    let middle = y - height;
    match kind {
        StripKind::CriticalSection | StripKind::Stalled => {
            bar(if kind == StripKind::Stalled { "fff" } else { INK }, from, to, y)
        }
        StripKind::Blocked => {
            format!("<path d=\"M{from:.2} {middle}H{to:.2}\" stroke=\"#{RED}\" stroke-width=\"2\" stroke-dasharray=\"5 3\"/>")
        }
        StripKind::Window(second) => {
            let level = if second { y + 7.5 } else { y + 4.0 };
            let (left, right) = (from + 0.8, (to - 0.8).max(from + 0.8));
            format!(
                "<path d=\"M{left:.2} {:.2}v3M{left:.2} {level}H{right:.2}M{right:.2} {:.2}v3\" stroke=\"#{INK}\" stroke-width=\"1.1\" fill=\"none\"/>",
                level - 1.5,
                level - 1.5
            )
        }
        StripKind::HeldBack => {
            let line = format!("<path d=\"M{from:.2} {middle}H{to:.2}\" stroke=\"#{RED}\" stroke-width=\"1.6\" stroke-dasharray=\"1.6 3\"/>");
            format!("{line}<path d=\"M{from:.2} {:.2}v8M{to:.2} {:.2}v8\" stroke=\"#{RED}\" stroke-width=\"1.4\"/>", middle - 4.0, middle - 4.0)
        }
        StripKind::Suspended => {
            format!("<path d=\"M{from:.2} {middle}H{to:.2}\" stroke=\"#57606a\" stroke-width=\"1.6\" stroke-dasharray=\"1.6 3\"/>")
        }
    }
}

/// Returns the line from one point to another, each with its `x` and `y`, and the filling down to `base`.
pub(super) fn slope_path(from: (f64, f64), to: (f64, f64), base: f64) -> String {
    let ((left, first), (right, last)) = (from, to);
    let paint = &paints(Fill::Budget)[0];
    format!(
        "<path d=\"M{left:.2} {base}V{first:.2}L{right:.2} {last:.2}V{base}z\" fill=\"{paint}\"/>\
         <path d=\"M{left:.2} {first:.2}L{right:.2} {last:.2}\" stroke=\"#{INK}\" stroke-width=\"1.2\"/>"
    )
}

/// Returns a thin line with a dot at the waiter and a head at the other end.
pub(super) fn link_path(x: f64, from: f64, to: f64) -> String {
    let head = if to > from { -6.0 } else { 6.0 };
    format!(
        "<path d=\"M{x:.2} {from}V{:.2}\" stroke=\"#{RED}\" stroke-width=\"1.1\"/><circle cx=\"{x:.2}\" cy=\"{from}\" r=\"2\" fill=\"#{RED}\"/>\
         <path d=\"M{x:.2} {to}l-3 {head}h6z\" fill=\"#{RED}\"/>",
        to + head / 2.0
    )
}

pub(super) fn arrow_path(kind: ArrowKind, x: f64, y: f64, height: f64, block: f64) -> String {
    let top = y - height;
    match kind {
        ArrowKind::Arrival => format!(
            "<path d=\"M{x:.2} {y}V{:.2}\" stroke=\"#{INK}\" stroke-width=\"1.3\"/><path d=\"M{x:.2} {top}l-3.4 7h6.8z\" fill=\"#{INK}\"/>",
            top + 4.0
        ),
        ArrowKind::Deadline | ArrowKind::Miss => {
            let is_miss = kind == ArrowKind::Miss;
            let (ink, stroke, head) = if is_miss { (RED, 2.2, 4.2) } else { (INK, 1.3, 3.4) };
            let tip = y;
            let (shaft, cross) = (tip - 4.0, top - 1.0);
            let mut path = format!(
                "<path d=\"M{x:.2} {top}V{shaft:.2}\" stroke=\"#{ink}\" stroke-width=\"{stroke}\"/>\
                 <path d=\"M{x:.2} {tip}l-{head} -7h{:.1}z\" fill=\"#{ink}\"/>",
                2.0 * head
            );
            if is_miss {
                // Not by colour alone.
                let _ = write!(path, "<path d=\"M{:.2} {cross}l7 7m0 -7l-7 7\" stroke=\"#{ink}\" stroke-width=\"1.8\"/>", x - 3.5);
            }
            path
        }
        ArrowKind::Completion => format!(
            "<circle cx=\"{x:.2}\" cy=\"{:.2}\" r=\"2.8\" fill=\"#fff\" stroke=\"#{INK}\" stroke-width=\"1.1\"/>",
            y - block
        ),
        ArrowKind::Handler => format!(
            "<path d=\"M{:.2} {:.2}h7l-3.5 6z\" fill=\"#fff\" stroke=\"#{INK}\" stroke-width=\"1.1\"/>",
            x - 3.5,
            y - block - 3.0
        ),
        ArrowKind::Replenishment => format!(
            "<path d=\"M{:.2} {:.2}h8m-4 -4v8\" stroke=\"#{INK}\" stroke-width=\"1.8\"/>",
            x - 4.0,
            y - block - 5.0
        ),
        ArrowKind::Abort => format!(
            "<path d=\"M{:.2} {:.2}l7 7m0 -7l-7 7\" stroke=\"#{INK}\" stroke-width=\"1.8\"/>",
            x - 3.5,
            y - block - 3.5
        ),
    }
}

pub(super) fn sign_path(sign: &Sign, x: f64, y: f64) -> String {
    match sign {
        Sign::Fill(fill, _) => {
            let paint = |paint| {
                format!("<rect x=\"{x:.2}\" y=\"{}\" width=\"17\" height=\"11\" fill=\"{paint}\" stroke=\"#{INK}\" stroke-width=\".6\"/>", y - 9.5)
            };
            let painted: String = paints(*fill).into_iter().map(paint).collect();
            painted + &mark(*fill, x, x + 17.0, y + 1.5).unwrap_or_default()
        }
        Sign::Link(_) => link_path(x + 9.0, y - 10.0, y + 2.0),
        Sign::Strip(kind, _) => strip_path(*kind, x, x + 17.0, y - 1.0, 3.0),
        Sign::Arrow(
            ArrowKind::Completion | ArrowKind::Handler | ArrowKind::Abort | ArrowKind::Replenishment,
            _,
        ) => {
            let Sign::Arrow(kind, _) = sign else { return String::new() };
            arrow_path(*kind, x + 10.0, y - 4.0, 0.0, 0.0)
        }
        Sign::Arrow(kind, _) => arrow_path(*kind, x + 10.0, y + 1.0, 13.0, 0.0),
    }
}
