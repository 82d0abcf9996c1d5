//! `export`: what was learned, as vectors that other tools read.

use linknbed::io::staging::Replace;
use linknbed::io::vectors::Format;
use linknbed::run::{self, ExportJob, Exported, Run};
use serde_json::json;

use crate::args::{Common, ExportArgs, VectorFormat, Vectors, What};
use crate::bars::Bars;
use crate::output::{grouped, print};

pub(crate) fn run(args: &ExportArgs, common: &Common, bars: &Bars) -> anyhow::Result<()> {
    let run = Run::open(&args.run)?;
    let job = ExportJob {
        what: args.what.into(),
        vectors: args.vectors.into(),
        format: args.format.into(),
        data: args.data.clone(),
        out: args.out.clone(),
        replace: if args.force { Replace::Existing } else { Replace::Never },
    };
    let exported = run::export(&run, &job, bars)?;
    print(&if common.json { as_json(&exported) } else { as_text(&exported) })
}

fn as_text(exported: &Exported) -> String {
    let files: Vec<String> = exported.files.iter().map(|path| path.display().to_string()).collect();
    format!(
        "{} vectors of {} numbers, after {} steps: {}\n",
        grouped(exported.count as u64),
        exported.width,
        grouped(exported.step),
        files.join(", ")
    )
}

fn as_json(exported: &Exported) -> String {
    let Exported { count, width, step, files } = exported;
    format!("{:#}\n", json!({"vectors": count, "width": width, "step": step, "files": files}))
}

impl From<What> for run::What {
    fn from(what: What) -> Self {
        match what {
            What::Entities => Self::Entities,
            What::Relations => Self::Relations,
        }
    }
}

impl From<Vectors> for run::Vectors {
    fn from(vectors: Vectors) -> Self {
        match vectors {
            Vectors::Representation => Self::Representation,
            Vectors::Own => Self::Own,
        }
    }
}

impl From<VectorFormat> for Format {
    fn from(format: VectorFormat) -> Self {
        match format {
            VectorFormat::Npy => Self::Npy,
            VectorFormat::Parquet => Self::Parquet,
            VectorFormat::Word2vec => Self::Word2vec,
            VectorFormat::Safetensors => Self::Safetensors,
        }
    }
}
