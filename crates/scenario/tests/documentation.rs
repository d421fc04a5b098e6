//! The files shown in the documentation read.

use schedlab_scenario::{OverheadProfile, Scenario};

#[test]
fn the_blocks_of_the_page_read() {
    let page = include_str!("../../../docs/scenario-file.md");
    let blocks: Vec<&str> =
        page.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(blocks.len(), 5);
    for block in blocks {
        let result = match block.starts_with("schedlab = 1") {
            true => Scenario::parse("page", block).map(drop),
            false => OverheadProfile::parse_with("page", block.into(), &|_| Err("no file".into())).map(drop),
        };
        result.unwrap_or_else(|errors| panic!("{errors}"));
    }
}
