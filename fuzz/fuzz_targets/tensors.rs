//! Files of tensors: a good one with some of its bytes changed, a header of any kind, or anything at all. The first byte
//! chooses. What opens can be read from end to end.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use linknbed::io::vectors::{TensorView, Tensors, write_tensors};
use linknbed_fuzz::{edited, file, folder};

const NAME: &str = "x.safetensors";

static GOOD: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let data: Vec<f32> = (0..24).map(|n| n as f32).collect();
    let view =
        |name: &str, shape: &[usize], data| TensorView { name: name.to_owned(), shape: shape.to_vec(), data };
    let tables =
        [view("entities", &[4, 4], &data[..16]), view("bias", &[8], &data[16..]), view("none", &[0], &[])];
    let about = [("seed".to_owned(), "7".to_owned())].into();
    let path = folder().join("good.safetensors");
    write_tensors(&path, &tables, &about).expect("a file");
    std::fs::read(path).expect("a file")
});

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let content = match choice % 4 {
        0 => bytes.to_vec(),
        1 => {
            // Up to a zero byte stands the header, then the numbers.
            let header = bytes.split(|&b| b == 0).next().unwrap_or_default();
            [&(header.len() as u64).to_le_bytes(), bytes].concat()
        }
        _ => edited(&GOOD, bytes),
    };
    let tensors = match Tensors::open(&file(NAME, &content)) {
        Ok(tensors) => tensors,
        Err(error) => return assert!(error.to_string().contains(NAME), "{error}"),
    };
    for name in tensors.names() {
        let shape = tensors.shape(name).expect("a table has a shape");
        let size: usize = shape.iter().product();
        let mut numbers = Vec::new();
        // Other kinds of numbers may be smaller than a byte, but no table is larger than its file.
        if size <= content.len() {
            numbers.resize(size, 0.0);
        }
        if let Err(error) = tensors.read_into(name, shape, &mut numbers) {
            assert!(error.to_string().contains("expected F32"), "{error}");
        }
    }
});
