//! Tables of links, as TSV, CSV and the OpenEA layout, and owl:sameAs. The first byte chooses.
#![no_main]

use libfuzzer_sys::fuzz_target;
use linknbed_fuzz::links::read_links_both_ways;

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let names = ["links.tsv", "links.csv", "ent_links", "a-b.train.tsv", "links.nt", "b-c.test.csv"];
    read_links_both_ways(names[usize::from(*choice) % names.len()], bytes);
});
