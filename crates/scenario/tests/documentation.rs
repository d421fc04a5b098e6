//! The files shown in the documentation read.

use schedlab_model::OverheadKind;
use schedlab_scenario::{OverheadProfile, Scenario};

#[test]
fn the_blocks_of_the_pages_read() {
    let pages =
        [include_str!("../../../docs/scenario-file.md"), include_str!("../../../docs/overheads-file.md")];
    let blocks: Vec<&str> = pages
        .iter()
        .flat_map(|page| page.split("```toml\n").skip(1))
        .map(|rest| rest.split("```").next().unwrap())
        .collect();
    assert_eq!(blocks.len(), 8);
    for block in blocks {
        let result = match block.starts_with("schedlab = 1") {
            true => Scenario::parse("page", block).map(drop),
            false => OverheadProfile::parse_with("page", block.into(), &|_| Err("no file".into())).map(drop),
        };
        result.unwrap_or_else(|errors| panic!("{errors}"));
    }
}

#[test]
fn pages_name_each_kind_of_overhead() {
    let pages = [
        ("docs/overheads-file.md", include_str!("../../../docs/overheads-file.md")),
        ("GLOSSARY.md", include_str!("../../../GLOSSARY.md")),
        ("docs/how-it-works.md", include_str!("../../../docs/how-it-works.md")),
    ];
    for (page, text) in pages {
        for kind in OverheadKind::ALL.map(OverheadKind::name) {
            let mut names = vec![format!("`{kind}`")];
            // Both kinds of cache-related delays have one line there.
            names.extend(kind.starts_with("cache_related_").then(|| "`cache_related_*`".to_owned()));
            assert!(names.iter().any(|name| text.contains(name)), "{page} does not name `{kind}`");
        }
    }
}
