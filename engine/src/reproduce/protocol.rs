//! How did the figures come about, in words?

use super::folder::Begun;
use super::tuning::MOST_TRIES;

/// The sentences below the tables.
pub(super) fn protocol(begun: &Begun, seeds: &[u64]) -> Vec<String> {
    let on = &begun.on;
    let seeds: Vec<String> = seeds.iter().map(u64::to_string).collect();
    let tuning = match begun.tuning {
        1 => "No row was tuned: every row has the settings of the preset, but for what the row is about"
            .to_owned(),
        tries => format!(
            "Every row tried {tries} settings, the first of the same list of {MOST_TRIES} pairs of optimizer.rate and \
             dropout (for GAKE, which has no dropout, the weights of paths and edges), with the first seed, and kept the \
             one with the best validation for all seeds: baselines for each graph, LinkNBed for all graphs and both \
             trainings"
        ),
    };
    vec![
        format!(
            "Facts: each {on} fact is asked for its object among all entities of its graph; other known answers are \
             left out (filtered), and of equal scores the right answer takes the middle. tables.json has the subjects too."
        ),
        format!(
            "Links: AUPRC is the area under the precision-recall curve over the {on} links, each with the negative labels \
             of its first entity."
        ),
        "Supervised: LinkNBed learns from facts and links, and Algorithm 2 compares entities. Unsupervised: from facts \
         alone, and a network that learns from the training links compares them (the second stage). LinkNBed's figures \
         of facts are those of the supervised training."
            .to_owned(),
        "Baselines learn from facts alone, so that they have no supervised figure, and gains there are over their \
         unsupervised ones, as in the paper. They learn each graph alone, in a training of its own; LinkNBed learns all \
         graphs together."
            .to_owned(),
        "The types of relations take part in every variant of LinkNBed; the variants are about what entities are made of."
            .to_owned(),
        "A gain is the difference to the best baseline that is done, as a share of that baseline; the paper's improvements are shares of \
         its own figure, and therefore smaller."
            .to_owned(),
        format!("{tuning}. Of each training the checkpoint with the best validation is judged, or the last without one."),
        format!(
            "Seeds: {}. Behind ± stands the standard deviation over seeds (of a sample); * is the best of a column.",
            seeds.join(", ")
        ),
    ]
}
