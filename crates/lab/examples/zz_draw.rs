use schedlab_lab::Prepared;
use schedlab_model::*;
use schedlab_report::schedule::*;
use schedlab_scenario::Scenario;
use schedlab_trace::Timeline;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let s = Scenario::parse(&a[1], &std::fs::read_to_string(&a[1]).unwrap()).unwrap();
    let s = if a[2].is_empty() { s } else { s.with_protocol(&a[2]).unwrap() };
    let p = Prepared::new(&s).unwrap();
    let mut t = Timeline::default();
    let su = p.simulate(&mut t, &mut |_| true).unwrap();
    println!("{su:?}");
    let w = Window::new(
        Instant::from_ns(a[3].parse::<u64>().unwrap() * 1000),
        Instant::from_ns(a[4].parse::<u64>().unwrap() * 1000),
    )
    .unwrap();
    let lanes = if a[5] == "p" { Lanes::Processors } else { Lanes::Tasks };
    let sch = Schedule::from_records(&p.context(), t.records, w);
    std::fs::write(&a[6], sch.svg(&p.context(), lanes)).unwrap();
    std::fs::write(a[6].replace(".svg", ".tex"), sch.tikz(&p.context(), lanes)).unwrap();
}
