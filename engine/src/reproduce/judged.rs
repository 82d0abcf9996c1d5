//! How good is one training, by the figures of the tables?

use std::path::Path;

use super::result::{Figures, Outcome, Ranked, Sides};
use super::rows::Learning;
use crate::config::LeaveOut;
use crate::error::Result;
use crate::eval::TripleFigures;
use crate::eval::linkage::{
    ClassifierConfig, Curve, LabelledPairs, LinkOptions, Linkage, Measure, Model, Representations, Scorer,
};
use crate::graph::Part;
use crate::joint::Joint;
use crate::model::parameters::Parameters;
use crate::progress::{Progress, Unit};
use crate::run::{Run, Trained};
use crate::train::{baseline, contexts, ranker};

/// Asks what was learned about a part of the data: a run of each graph, or one of all. Partners are not looked for among
/// all entities, as `eval` does: the tables do not have those figures, and they would take most of the time.
pub(super) fn figures(
    runs: &[(Option<&str>, Run)],
    data: &Path,
    part: Part,
    learning: Learning,
    progress: &dyn Progress,
) -> Result<Outcome> {
    let mut figures = Figures::default();
    let mut whole: Option<(&Run, Trained)> = None;
    for (of, run) in runs {
        progress.begin("reading the run", None, Unit::Items);
        let trained = run.load(Some(data))?;
        progress.end();
        // The last step of all is followed by none that would notice.
        if let Some(table) = trained.table_that_is_not_finite() {
            let why = format!("its last step led to numbers that are none, in {table}");
            return Ok(Outcome::Diverged(why));
        }
        rank(run, &trained, *of, part, &mut figures, progress);
        match &mut whole {
            None => whole = Some((run, trained)),
            Some((_, whole)) => {
                take_entities(&whole.joint, &mut whole.parameters, &trained.parameters, *of);
            }
        }
    }
    let Some((run, trained)) = whole else { return Ok(Outcome::Judged(figures)) };
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
    Ok(Outcome::Judged(figures))
}

/// How well a run completes the facts of a graph, or of all.
fn rank(
    run: &Run,
    trained: &Trained,
    of: Option<&str>,
    part: Part,
    figures: &mut Figures,
    progress: &dyn Progress,
) {
    let mut ranker = ranker(&trained.joint, &trained.parameters, &run.config);
    for (number, graph) in trained.data.graphs.iter().enumerate() {
        if of.is_none_or(|of| of == graph.name) && !graph.facts[part as usize].is_empty() {
            let of = TripleFigures::rank(ranker.as_mut(), number, part, progress).filtered;
            let [tail, head, both] = [of.tail, of.head, of.both].map(|metrics| Ranked::of(&metrics));
            figures.facts.insert(graph.name.clone(), Sides { tail, head, both });
        }
    }
}

/// Puts the entities of a graph, as another run learned them, in their place. Runs of the same data number alike.
fn take_entities(joint: &Joint, whole: &mut Parameters<f32>, other: &Parameters<f32>, of: Option<&str>) {
    let width = whole.sizes.entity;
    for graph in joint.graphs.iter().filter(|graph| of.is_none_or(|of| of == graph.name)) {
        let own = graph.first as usize * width..(graph.first + graph.entities) as usize * width;
        whole.entities[own.clone()].copy_from_slice(&other.entities[own]);
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::joint::small_graphs::{Labelled, random_data};
    use crate::reproduce::rows::Row;
    use crate::train::zero_parameters;

    #[test]
    fn each_graph_has_the_entities_of_its_own_run() {
        let prepared = random_data(4, 3, Labelled::Not);
        let shared = Config::preset("default").unwrap();
        let mut config = Row::DistMult.config(&shared, Learning::Unsupervised).unwrap();
        config.model.entity = 2;
        let joint = Joint::for_config(&prepared.data, &config).unwrap();
        let filled = |number: f32| {
            let mut parameters = zero_parameters(&joint, &config);
            parameters.entities.fill(number);
            parameters
        };
        let mut whole = filled(0.0);
        take_entities(&joint, &mut whole, &filled(2.0), Some("graph2"));
        take_entities(&joint, &mut whole, &filled(1.0), Some("graph1"));
        for entity in 0..joint.entities() {
            let expected = joint.graph_of(entity as u32) as f32;
            assert_eq!(whole.entities[2 * entity..2 * entity + 2], [expected; 2]);
        }
    }
}
