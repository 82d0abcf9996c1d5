//! Links between three small graphs.

use std::path::Path;
use std::sync::LazyLock;

use linknbed::graph::{Graph, GraphBuilder, Part};
use linknbed::io::links::{Side, StatedLink, find_links, read_links, read_stated};
use linknbed::io::Strictness;
use linknbed::progress::Silent;

use crate::file;

static GRAPHS: LazyLock<Vec<Graph>> = LazyLock::new(|| {
    let graph = |name: &str, entities: [&str; 3]| {
        let mut builder = GraphBuilder::default();
        builder.fact(Part::Undivided, entities[0], "likes", entities[1]);
        builder.fact(Part::Undivided, entities[1], "likes", entities[2]);
        builder.finish(name)
    };
    vec![
        graph("a", ["a", "1", "http://e/a"]),
        graph("b", ["b", "2", "http://e/b"]),
        graph("c", ["c", "1", "x:y"]),
    ]
});

/// Reads bytes as links between two and between three graphs, strictly and leniently, as known links and as links that are
/// merged by; every link that comes out is between entities that are there, and what reads as known links reads as
/// those too.
pub fn read_links_both_ways(name: &str, bytes: &[u8]) {
    let path = file(name, bytes);
    for graphs in [&GRAPHS[..2], &GRAPHS[..]] {
        let names: Vec<&str> = graphs.iter().map(|graph| graph.name.as_str()).collect();
        let sources = find_links(path.to_str().expect("a plain path"), &names).expect("a file of links");
        let read = |strictness| {
            read_links(&sources, graphs, strictness, &Silent)
        };
        let (strict, lenient) = (read(Strictness::Strict), read(Strictness::Lenient));
        for outcome in [&strict, &lenient] {
            match outcome {
                Ok((links, _)) => {
                    for links in links {
                        let (first, second) = (&graphs[links.first].entities, &graphs[links.second].entities);
                        for link in links.positives.iter().chain(links.negatives.iter()) {
                            assert!(link.first.row() < first.len() && link.second.row() < second.len());
                        }
                    }
                }
                Err(error) => assert!(error.to_string().contains(name), "{error}"),
            }
        }
        let stated = stated_links(&path, graphs);
        match &stated {
            Ok(stated) => stated.iter().for_each(|link| check(link, graphs)),
            Err(error) => assert!(error.to_string().contains(name), "{error}"),
        }
        if let Ok((links, _)) = strict {
            let known = links.iter().map(|links| links.positives.iter().chain(links.negatives.iter()).count());
            assert_eq!(stated.expect("known links can be merged by").len(), known.sum::<usize>());
            let (other, report) = lenient.expect("what reads strictly reads leniently");
            assert_eq!(report.read.problems.count(), 0);
            assert_eq!(links, other);
        }
    }
}

/// The same bytes as `merge` reads them, with a probability each.
fn stated_links(path: &Path, graphs: &[Graph]) -> linknbed::Result<Vec<StatedLink>> {
    let names: Vec<&str> = graphs.iter().map(|graph| graph.name.as_str()).collect();
    let sides: Vec<Side<'_>> =
        graphs.iter().map(|graph| Side { name: &graph.name, entities: &graph.entities }).collect();
    let sources = find_links(path.to_str().expect("a plain path"), &names)?;
    let hint = |graph: Option<usize>, written: &str| {
        assert!(graph.is_none_or(|graph| graph < sides.len()), "a hint about no graph");
        format!("; {written:?} is what was written")
    };
    read_stated(&sources, &sides, &hint, &Silent)
}

fn check(stated: &StatedLink, graphs: &[Graph]) {
    let StatedLink { graphs: (a, b), link, probability, .. } = stated;
    assert!(link.first.row() < graphs[*a].entities.len() && link.second.row() < graphs[*b].entities.len());
    assert!((0.0..=1.0).contains(probability), "{probability}");
}
