//! Shows conclusions.
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let unit = std::env::args().nth(2).and_then(|unit| schedlab_tracepoints::Unit::parse(&unit));
    match schedlab_tracepoints::read(std::fs::File::open(&path).unwrap(), unit, &mut |_| {}) {
        Ok(recording) => {
            let found = schedlab_tracepoints::Examined::of(recording).concluded(&path);
            println!("{}", found.notes.join("\n"));
            if let Some(scenario) = found.scenario {
                println!("{}", scenario.to_toml());
            }
        }
        Err(why) => println!("REFUSED {why}"),
    }
}
