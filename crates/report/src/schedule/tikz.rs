//! A schedule as TikZ, in the manner of `rtsched`, for papers. Needs nothing but `\usepackage{tikz}`.

use super::axis;
use super::letters;
use super::palette::{colour, RED};
use super::picture::{ArrowKind, Fill, Picture, Sign, StripKind};
use super::{Lanes, Schedule};
use crate::context::Context;
use core::fmt::Write;
use schedlab_model::Instant;
use std::collections::BTreeSet;

/// Measures in centimetres.
const WIDTH: f64 = 14.0;
const LANE: f64 = 1.0;
const BLOCK: f64 = 0.45;
const ARROW: f64 = 0.75;
/// The size of the smallest letters.
const SCRIPT: f64 = 0.2;

impl Schedule {
    /// The schedule as a `tikzpicture`.
    pub fn tikz(&self, context: &Context, lanes: Lanes) -> String {
        let picture = self.picture(context, lanes);
        let mut out = format!("% {}\n% needs \\usepackage{{tikz}}\n", picture.title);
        out += "\\begin{tikzpicture}[x=1cm,y=1cm,font=\\footnotesize]\n";
        definitions(&picture, &mut out);
        axis(&picture, &mut out);
        blocks(&picture, &mut out);
        slopes(&picture, &mut out);
        for strip in &picture.strips {
            let (left, right) = (x(&picture, strip.from), x(&picture, strip.to));
            draw_strip(strip.kind, left, right, y(strip.lane), &mut out);
            if !strip.label.is_empty() && right - left > letters::width(&strip.label, SCRIPT) {
                let (middle, label) = ((left + right) / 2.0, escape(&strip.label));
                let above = y(strip.lane) + BLOCK / 2.0;
                let _ = writeln!(
                    out,
                    "\\node[above,inner sep=1pt,font=\\tiny,schedlabmiss] at ({middle:.4},{above:.4}) {{{label}}};"
                );
            }
        }
        for link in picture.links.iter().filter(|link| link.from != link.to) {
            let below = link.to > link.from;
            let to = y(link.to) + if below { BLOCK } else { 0.0 };
            draw_link(x(&picture, link.at), y(link.from) + BLOCK / 2.0, to, &mut out);
        }
        for arrow in &picture.arrows {
            draw_arrow(arrow.kind, x(&picture, arrow.at), y(arrow.lane), BLOCK, ARROW, &mut out);
        }
        legend(&picture, &mut out);
        out += "\\end{tikzpicture}\n";
        out
    }
}

fn x(picture: &Picture, at: Instant) -> f64 {
    let window = picture.window;
    at.saturating_since(window.from).as_ns() as f64 / window.length().as_ns().max(1) as f64 * WIDTH
}

fn y(lane: usize) -> f64 {
    0.0 - lane as f64 * LANE
}

fn definitions(picture: &Picture, out: &mut String) {
    let used: BTreeSet<usize> = picture
        .blocks
        .iter()
        .filter_map(|block| match block.fill {
            Fill::Colour(index) | Fill::Section(index) | Fill::Spinning(index) => Some(index),
            Fill::Overhead | Fill::Wasted | Fill::Budget => None,
        })
        .collect();
    for index in used {
        let _ = writeln!(out, "\\definecolor{{schedlab{index}}}{{HTML}}{{{}}}", colour(index).to_uppercase());
    }
    let _ = writeln!(out, "\\definecolor{{schedlabmiss}}{{HTML}}{{{}}}", RED.to_uppercase());
}

fn axis(picture: &Picture, out: &mut String) {
    let times = axis::round_times(picture.window, 14);
    let (unit, size) = axis::unit(&times);
    let bottom = y(picture.labels.len().max(1) - 1);
    for time in &times {
        let (at, label) = (x(picture, *time), time.as_ns() / size);
        let _ = writeln!(
            out,
            "\\draw[black!12] ({at:.4},{:.4}) -- ({at:.4},{:.4}) node[below,black!70,font=\\scriptsize] {{{label}}};",
            ARROW + 0.1,
            bottom - 0.08
        );
    }
    let unit = if unit == "us" { "$\\mu$s" } else { unit };
    let _ =
        writeln!(out, "\\node[left,black!70,font=\\scriptsize] at (-0.1,{:.4}) {{{unit}}};", bottom - 0.28);
    for (lane, label) in picture.labels.iter().enumerate() {
        let at = y(lane);
        let _ = writeln!(
            out,
            "\\draw[black!50] (0,{at:.4}) -- ({:.4},{at:.4});\n\\node[left] at (-0.1,{:.4}) {{{}}};",
            WIDTH + 0.15,
            at + BLOCK / 2.0,
            escape(label)
        );
    }
}

fn blocks(picture: &Picture, out: &mut String) {
    for block in &picture.blocks {
        let (left, right, base) = (x(picture, block.from), x(picture, block.to), y(block.lane));
        let style = style(block.fill);
        let _ = writeln!(
            out,
            "\\draw[{style}] ({left:.4},{base:.4}) rectangle ({right:.4},{:.4});",
            base + BLOCK
        );
        if right - left > letters::width(&block.label, SCRIPT) {
            let (middle, height) = ((left + right) / 2.0, base + BLOCK / 2.0);
            let label = escape(&block.label);
            let _ =
                writeln!(out, "\\node[font=\\tiny,inner sep=0pt] at ({middle:.4},{height:.4}) {{{label}}};");
        }
    }
}

/// Draws the budgets of servers over time: a line, and its filling below.
fn slopes(picture: &Picture, out: &mut String) {
    for slope in &picture.slopes {
        let (left, right, base) = (x(picture, slope.from), x(picture, slope.to), y(slope.lane));
        let (first, last) = (base + slope.begins * BLOCK, base + slope.ends * BLOCK);
        let _ = writeln!(
            out,
            "\\fill[cyan!20] ({left:.4},{base:.4}) -- ({left:.4},{first:.4}) -- ({right:.4},{last:.4}) -- \
             ({right:.4},{base:.4}) -- cycle;\n\\draw ({left:.4},{first:.4}) -- ({right:.4},{last:.4});"
        );
    }
}

/// Returns the style of a box: darker while in a section, pale and dotted while spinning.
fn style(fill: Fill) -> String {
    let of = |index: usize| match index {
        usize::MAX => "white".to_string(),
        index => format!("schedlab{index}"),
    };
    match fill {
        Fill::Colour(index) => format!("very thin,fill={}", of(index)),
        Fill::Section(index) => format!("semithick,fill={}!72!black", of(index)),
        Fill::Spinning(index) => format!("densely dotted,fill={}!35", of(index)),
        Fill::Overhead => "very thin,fill=black!45".into(),
        Fill::Wasted => "very thin,fill=black!10".into(),
        Fill::Budget => "very thin,fill=cyan!20".into(),
    }
}

fn draw_strip(kind: StripKind, left: f64, right: f64, base: f64, out: &mut String) {
    let middle = base + BLOCK / 2.0;
    let line = format!("({left:.4},{middle:.4}) -- ({right:.4},{middle:.4});");
    let bar = format!("({left:.4},{base:.4}) rectangle ({right:.4},{:.4});", base + 0.08);
    let _ = match kind {
        StripKind::CriticalSection => writeln!(out, "\\draw[fill=black,very thin] {bar}"),
        StripKind::Stalled => writeln!(out, "\\draw[fill=white,very thin] {bar}"),
        StripKind::Blocked => writeln!(out, "\\draw[schedlabmiss,thick,dashed] {line}"),
        StripKind::HeldBack => writeln!(out, "\\draw[|-|,schedlabmiss,thick,dotted] {line}"),
        StripKind::Suspended => writeln!(out, "\\draw[black!60,thick,dotted] {line}"),
        StripKind::Window(second) => {
            let level = base - if second { 0.16 } else { 0.08 };
            writeln!(out, "\\draw[|-|,thin] ({left:.4},{level:.4}) -- ({right:.4},{level:.4});")
        }
    };
}

fn draw_link(at: f64, from: f64, to: f64, out: &mut String) {
    let _ = writeln!(
        out,
        "\\fill[schedlabmiss] ({at:.4},{from:.4}) circle (0.04);\n\\draw[->,>=latex,schedlabmiss] ({at:.4},{from:.4}) -- ({at:.4},{to:.4});"
    );
}

fn draw_arrow(kind: ArrowKind, at: f64, base: f64, block: f64, height: f64, out: &mut String) {
    let (top, block) = (base + height, base + block);
    let _ = match kind {
        ArrowKind::Arrival => writeln!(out, "\\draw[->,>=latex] ({at:.4},{base:.4}) -- ({at:.4},{top:.4});"),
        ArrowKind::Deadline => writeln!(out, "\\draw[->,>=latex] ({at:.4},{top:.4}) -- ({at:.4},{base:.4});"),
        ArrowKind::Miss => writeln!(
            out,
            "\\draw[->,>=latex,thick,schedlabmiss] ({at:.4},{top:.4}) node[inner sep=0pt] {{$\\times$}} -- ({at:.4},{base:.4});"
        ),
        ArrowKind::Completion => {
            writeln!(out, "\\draw[fill=white,very thin] ({at:.4},{block:.4}) circle (0.06);")
        }
        ArrowKind::Handler => {
            writeln!(out, "\\node[inner sep=0pt] at ({at:.4},{block:.4}) {{$\\triangledown$}};")
        }
        ArrowKind::Replenishment => writeln!(
            out,
            "\\node[above,inner sep=1pt,font=\\scriptsize] at ({at:.4},{block:.4}) {{$+$}};"
        ),
        ArrowKind::Abort => writeln!(out, "\\node[inner sep=0pt] at ({at:.4},{block:.4}) {{$\\times$}};"),
    };
}

/// Writes the legend below the axis, in rows.
fn legend(picture: &Picture, out: &mut String) {
    let (mut at, mut base) = (0.0, y(picture.labels.len().max(1) - 1) - 1.0);
    for sign in &picture.legend {
        let name = sign.name();
        let width = 0.8 + letters::width(name, 1.45 * SCRIPT);
        if at + width > WIDTH && at > 0.0 {
            (at, base) = (0.0, base - 0.4);
        }
        match sign {
            Sign::Fill(fill, _) => {
                let (style, right, top) = (style(*fill), at + 0.4, base + 0.2);
                let _ = writeln!(out, "\\draw[{style}] ({at:.4},{base:.4}) rectangle ({right:.4},{top:.4});");
            }
            Sign::Strip(StripKind::CriticalSection | StripKind::Stalled | StripKind::Window(_), _) => {
                let Sign::Strip(kind, _) = sign else { continue };
                draw_strip(*kind, at, at + 0.4, base + 0.08, out);
            }
            Sign::Strip(kind, _) => draw_strip(*kind, at, at + 0.4, base + 0.1 - BLOCK / 2.0, out),
            Sign::Link(_) => draw_link(at + 0.2, base + 0.25, base - 0.1, out),
            Sign::Arrow(kind, _) => draw_arrow(*kind, at + 0.2, base - 0.08, 0.18, 0.36, out),
        }
        let (text, middle) = (at + 0.5, base + 0.1);
        let _ = writeln!(
            out,
            "\\node[right,inner sep=0pt,font=\\scriptsize] at ({text:.4},{middle:.4}) {{{}}};",
            escape(name)
        );
        at += width;
    }
}

/// Escapes text for TeX. Letters that old fonts cannot show are left to the engine.
fn escape(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        match character {
            '\\' => out += "\\textbackslash{}",
            '~' => out += "\\textasciitilde{}",
            '^' => out += "\\textasciicircum{}",
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', character]),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
