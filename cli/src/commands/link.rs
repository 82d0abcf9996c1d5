//! `link`: which entities of the graphs are the same?

use std::path::Path;

use linknbed::Error;
use linknbed::config::Config;
use linknbed::dataset::Dataset;
use linknbed::graph::Part;
use linknbed::io::links::{FoundLink, Identity, LinkFormat, check_names, write_links};
use linknbed::link::clusters::{Between, consistent};
use linknbed::link::{Found, Kind, Learned, LinkConfig, Pair, Partners, Reasons, find_all};
use linknbed::progress::{Progress, Unit};
use linknbed::run::{Run, Trained};
use serde_json::{Value, json};

use crate::args::{Common, KnownOf, LinkArgs, LinkFormatOf};
use crate::bars::Bars;
use crate::output::{grouped, one_line, print, table};

/// What was found between two graphs.
struct Searched {
    graphs: [usize; 2],
    found: Found,
    least: f32,
}

pub(crate) fn run(args: &LinkArgs, common: &Common, bars: &Bars) -> anyhow::Result<()> {
    check(args)?;
    let opened = Opened::at(args, bars)?;
    let data = opened.data();
    data.check_ids()?;
    if data.graphs.len() < 2 {
        return Err(Error::folder(&data.path, "holds one graph; links are between two or more").into());
    }
    // Not after minutes of work.
    for graph in &data.graphs {
        let names = (0..graph.entities.len() as u32).map(|entity| graph.entities.get(entity));
        check_names(&args.out, format_of(args), std::iter::once(graph.name.as_str()).chain(names))?;
    }
    let searched = search(&opened, args, bars)?;
    let (links, cut) = chosen(&searched, args, data.graphs.len());
    write(data, &searched, &links, args)?;
    let summary = Summary { data, searched: &searched, links: &links, cut: cut.len() };
    match common.json {
        true => print(&format!("{:#}\n", summary.json())),
        false => {
            print(&summary.text())?;
            bars.say(&format!("\nwritten to {}", args.out.display()));
            Ok(())
        }
    }
}

/// What links are found in.
enum Opened {
    /// A prepared folder.
    Data(Box<Dataset>),
    /// A trained model with its data, and how it was trained.
    Model(Box<(Trained, Config)>),
}

impl Opened {
    fn at(args: &LinkArgs, bars: &Bars) -> Result<Self, Error> {
        if !Run::is_at(&args.data) {
            if args.evidence.contains(&Kind::Model) {
                let message =
                    format!("{} is a prepared folder; a model's evidence needs a run", args.data.display());
                return Err(Error::Usage(message));
            }
            if args.moved.is_some() {
                let message = format!("{} is a prepared folder; --data is for runs", args.data.display());
                return Err(Error::Usage(message));
            }
            return Dataset::open(&args.data).map(|data| Self::Data(Box::new(data)));
        }
        let run = Run::open(&args.data)?;
        bars.begin("reading the run", None, Unit::Items);
        let trained = run.load(args.moved.as_deref())?;
        trained.check_finite(&run.path)?;
        bars.end();
        Ok(Self::Model(Box::new((trained, run.config))))
    }

    fn data(&self) -> &Dataset {
        match self {
            Self::Data(data) => data,
            Self::Model(model) => &model.0.data,
        }
    }

    fn learned(&self, pair: &Pair<'_>) -> Option<Learned<'_>> {
        match self {
            Self::Data(_) => None,
            Self::Model(model) => {
                Some(Learned::new(model.0.representations(&model.1, [pair.first, pair.second])))
            }
        }
    }
}

/// What can be known to be wrong before anything is read.
fn check(args: &LinkArgs) -> Result<(), Error> {
    let share = |name: &str, number: f64| match (0.0..=1.0).contains(&number) {
        true => Ok(()),
        false => Err(Error::Usage(format!("{name}: found {number}, expected a number from 0 to 1"))),
    };
    share("--min-probability", args.min_probability)?;
    share("--precision", args.precision.unwrap_or(1.0))?;
    // Not after minutes of work.
    if let Some(folder) =
        args.out.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir())
    {
        return Err(Error::not_found(folder));
    }
    match (args.out.is_dir(), args.out.exists(), args.force) {
        (true, ..) => {
            Err(Error::Usage(format!("{} is a folder; expected the name of a file", args.out.display())))
        }
        (false, true, false) => {
            Err(Error::Usage(format!("{} exists already; --force replaces it", args.out.display())))
        }
        _ => Ok(()),
    }
}

fn config_of(args: &LinkArgs) -> LinkConfig {
    let partners = if args.many_to_one { Partners::ManyToOne } else { Partners::One };
    LinkConfig { seed: args.seed, partners, ..LinkConfig::looking_at(&args.evidence) }
}

fn search(opened: &Opened, args: &LinkArgs, bars: &Bars) -> Result<Vec<Searched>, Error> {
    let data = opened.data();
    let parts: &[Part] = match args.known {
        KnownOf::Train => &[Part::Train],
        KnownOf::All => &[Part::Train, Part::Valid, Part::Test],
        KnownOf::None => &[],
    };
    let pairs = Pair::all(data, parts);
    let config = config_of(args);
    let learned =
        |pair: &Pair<'_>| config.kinds.contains(&Kind::Model).then(|| opened.learned(pair)).flatten();
    let found = find_all(&pairs, &config, &learned, bars)?;
    let each = pairs.iter().zip(found).map(|(pair, found)| {
        let least = match args.precision {
            Some(precision) => found.least_for_precision(precision),
            None => args.min_probability as f32,
        };
        Searched { graphs: [pair.first, pair.second], found, least }
    });
    Ok(each.collect())
}

/// The links that hold together, sorted; and those that were cut because they do not.
fn chosen(searched: &[Searched], args: &LinkArgs, graphs: usize) -> (Vec<Between>, Vec<Between>) {
    let mut all = Vec::new();
    for Searched { graphs, found, least } in searched {
        let new = found.links(*least).into_iter().map(|link| ([link.first, link.second], link.score));
        let known = found.known.iter().map(|link| ([link.first.0, link.second.0], 1.0));
        let links = known.chain(new.filter(|(entities, _)| !is_known(found, *entities)));
        all.extend(links.map(|(entities, probability)| Between { graphs: *graphs, entities, probability }));
    }
    // Two graphs cannot contradict themselves: nobody has two partners there.
    let (mut links, cut) = if graphs > 2 && !args.many_to_one { consistent(all) } else { (all, Vec::new()) };
    if args.only_new {
        let of = |link: &Between| searched.iter().find(|own| own.graphs == link.graphs);
        links.retain(|link| of(link).is_none_or(|own| !is_known(&own.found, link.entities)));
    }
    links.sort_by_key(|link| (link.graphs, link.entities));
    (links, cut)
}

fn is_known(found: &Found, [first, second]: [u32; 2]) -> bool {
    found.known.binary_search_by_key(&(first, second), |link| (link.first.0, link.second.0)).is_ok()
}

fn write(data: &Dataset, searched: &[Searched], links: &[Between], args: &LinkArgs) -> Result<(), Error> {
    let name = |link: &Between, end: usize| {
        let graph = &data.graphs[link.graphs[end]];
        (graph.name.as_str(), graph.entities.get(link.entities[end]))
    };
    let reasons = |link: &Between| {
        let own = searched.iter().find(|own| own.graphs == link.graphs)?;
        match is_known(&own.found, link.entities) {
            true => Some(json!({"known": true})),
            false => {
                own.found.place(link.entities[0], link.entities[1]).map(|at| told(&own.found.reasons(at)))
            }
        }
    };
    let found: Vec<FoundLink<'_>> = links
        .iter()
        .map(|link| {
            let ((graph_a, entity_a), (graph_b, entity_b)) = (name(link, 0), name(link, 1));
            let probability = f64::from(link.probability);
            let evidence = args.explain.then(|| reasons(link)).flatten();
            FoundLink { graph_a, entity_a, graph_b, entity_b, probability, evidence }
        })
        .collect();
    write_links(&args.out, format_of(args), &found)
}

fn format_of(args: &LinkArgs) -> LinkFormat {
    let ends = |end: &str| Path::new(&args.out).to_string_lossy().ends_with(end);
    match args.format {
        Some(LinkFormatOf::Sssom) => LinkFormat::Sssom(Identity::SameAs),
        Some(LinkFormatOf::Nt) => LinkFormat::NTriples,
        Some(LinkFormatOf::Parquet) => LinkFormat::Parquet,
        Some(LinkFormatOf::Tsv) => LinkFormat::Tsv,
        None if ends(".sssom.tsv") => LinkFormat::Sssom(Identity::SameAs),
        None if ends(".nt") => LinkFormat::NTriples,
        None if ends(".parquet") => LinkFormat::Parquet,
        None => LinkFormat::Tsv,
    }
}

/// What moved a probability: nats by column, and what comes out.
fn told(reasons: &Reasons) -> Value {
    let rounded = |x: f32| (f64::from(x) * 1000.0).round() / 1000.0;
    let parts: serde_json::Map<String, Value> =
        reasons.parts.iter().map(|&(name, nats)| (name.to_owned(), json!(rounded(nats)))).collect();
    json!({
        "nats": parts,
        "against": rounded(reasons.against),
        "rivals": rounded(reasons.rivals),
        "slope": rounded(reasons.slope),
        "shift": rounded(reasons.shift),
    })
}

/// What came of it all.
struct Summary<'a> {
    data: &'a Dataset,
    searched: &'a [Searched],
    links: &'a [Between],
    cut: usize,
}

impl Summary<'_> {
    fn counts(&self, own: &Searched) -> (usize, usize) {
        let written = self.links.iter().filter(|link| link.graphs == own.graphs);
        let (known, new): (Vec<&Between>, Vec<&Between>) =
            written.partition(|link| is_known(&own.found, link.entities));
        (known.len(), new.len())
    }

    fn name(&self, own: &Searched) -> String {
        own.graphs.map(|graph| self.data.graphs[graph].name.as_str()).join("-")
    }

    fn json(&self) -> Value {
        let each = self.searched.iter().map(|own| {
            let (known, new) = self.counts(own);
            let candidates = own.found.candidates.len();
            let least = if own.least > 1.0 { Value::Null } else { json!(own.least) };
            let about = json!({"links": known + new, "known": known, "new": new, "candidates": candidates,
                               "min_probability": least});
            (self.name(own), about)
        });
        let pairs: serde_json::Map<String, Value> = each.collect();
        json!({"links": pairs, "cut": self.cut})
    }

    fn text(&self) -> String {
        let mut rows = vec![["", "candidates", "known", "new"].map(str::to_owned).to_vec()];
        for own in self.searched {
            let (known, new) = self.counts(own);
            let candidates = grouped(own.found.candidates.len() as u64);
            rows.push(vec![
                one_line(&self.name(own)),
                candidates,
                grouped(known as u64),
                grouped(new as u64),
            ]);
        }
        let mut text = table(&rows);
        if self.cut > 0 {
            text += &format!(
                "\n{} links were cut: they would bring two entities of one graph together\n",
                self.cut
            );
        }
        text
    }
}
