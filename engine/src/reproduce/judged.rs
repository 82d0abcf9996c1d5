//! How good is one training, by the figures of the tables?

use std::path::Path;

use super::result::{Figures, Ranked, Sides};
use super::rows::Learning;
use crate::config::LeaveOut;
use crate::error::Result;
use crate::eval::TripleFigures;
use crate::eval::linkage::{
    ClassifierConfig, Curve, LabelledPairs, LinkOptions, Linkage, Measure, Model, Representations, Scorer,
};
use crate::graph::Part;
use crate::progress::{Progress, Unit};
use crate::run::{Run, Trained};
use crate::train::{baseline, contexts, ranker};

/// Asks a run about a part of its data. Partners are not looked for among all entities, as `eval` does: the tables do
/// not have those figures, and they would take most of the time.
pub(super) fn figures(
    run: &Run,
    data: &Path,
    part: Part,
    learning: Learning,
    progress: &dyn Progress,
) -> Result<Figures> {
    progress.begin("reading the run", None, Unit::Items);
    let trained = run.load(Some(data))?;
    trained.check_finite(&run.path)?;
    progress.end();
    let mut figures = Figures::default();
    let mut ranker = ranker(&trained.joint, &trained.parameters, &run.config);
    for (number, graph) in trained.data.graphs.iter().enumerate() {
        if !graph.facts[part as usize].is_empty() {
            let of = TripleFigures::rank(ranker.as_mut(), number, part, progress).filtered;
            let [tail, head, both] = [of.tail, of.head, of.both].map(|metrics| Ranked::of(&metrics));
            figures.facts.insert(graph.name.clone(), Sides { tail, head, both });
        }
    }
    progress.begin("judging the links", Some(trained.data.links.len() as u64), Unit::Items);
    for (at, links) in trained.data.links.iter().enumerate() {
        if !links.positives[part as usize].is_empty() {
            let names = [links.first, links.second].map(|graph| trained.data.graphs[graph].name.as_str());
            let auprc = auprc(run, &trained, at, part, learning);
            figures.auprc.insert(names.join("-"), Some(auprc).filter(|auprc| auprc.is_finite()));
        }
        progress.advance(1);
    }
    progress.end();
    Ok(figures)
}

/// The area under the precision-recall curve of a part's pairs: its links with the negative labels of their first entity.
fn auprc(run: &Run, trained: &Trained, links: usize, part: Part, learning: Learning) -> f64 {
    let links = &trained.data.links[links];
    let model = Model {
        joint: &trained.joint,
        parameters: &trained.parameters,
        contexts: contexts(&run.config),
        leave_partner_out: run.config.contexts.leave_partner_out != LeaveOut::Never,
    };
    let graphs = [links.first, links.second];
    let representations = match baseline(&run.config) {
        Some(_) => Representations::of_vectors(model, graphs),
        None => Representations::new(model, graphs),
    };
    let scorer = match learning {
        Learning::Supervised => Scorer::Replacement(Measure::default()),
        Learning::Unsupervised => {
            Scorer::SecondStage(ClassifierConfig { seed: run.config.seed, ..Default::default() })
        }
    };
    let linkage = Linkage::new(&representations, links, scorer, LinkOptions::default());
    let LabelledPairs { pairs, labels } = LabelledPairs::new(links, part);
    Curve::new(&linkage.scores(&pairs), &labels).average_precision()
}
