//! The other RDF formats: XML in any encoding, Turtle, TriG, JSON-LD. The first byte chooses.
#![no_main]

use libfuzzer_sys::fuzz_target;
use linknbed_fuzz::read_both_ways;

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    // XML is where our own code is (encodings), so it has most of the choices.
    let name = match choice {
        b't' => "x.ttl",
        b'g' => "x.trig",
        b'j' => "x.jsonld",
        _ => "x.rdf",
    };
    read_both_ways(name, bytes, &Default::default());
});
