//! Names and values as `link` and `merge` write them: an IRI leads back to its name, and a statement reads as what it was.
//! Lines are a name, a value and its qualifier.
#![no_main]

use libfuzzer_sys::fuzz_target;
use linknbed::graph::Value;
use linknbed::io::Strictness;
use linknbed::io::terms::{IriTerm, NameTerm, ValueTerm, graph_iri, graph_of_iri, iri_of, name_of_iri};
use linknbed_fuzz::{file, read};

fuzz_target!(|text: &str| {
    let mut lines = text.splitn(3, '\n');
    let mut line = || lines.next().unwrap_or_default();
    let (name, qualifier, value) = (line(), line(), line());
    // Nothing is called nothing.
    if name.is_empty() {
        return;
    }
    let iri = iri_of(name);
    assert_eq!(name_of_iri(&iri), name);
    assert_eq!(graph_of_iri(&graph_iri(name)).as_deref(), Some(name));
    assert_eq!(graph_of_iri(&iri), None);
    let (subject, value) = (NameTerm(name), ValueTerm(Value { text: value, qualifier }));
    let statement = format!("{subject} {} {value} .\n{subject} {} {subject} .\n", IriTerm("says"), IriTerm(name));
    let path = file("terms.nt", statement.as_bytes());
    let (graph, report) = read(&path, Strictness::Strict, &Default::default()).expect("what is written is read");
    assert_eq!(report.problems.count(), 0);
    assert!(name.starts_with("_:") || graph.entities.find(name).is_some(), "{name:?} is not in {statement}");
});
