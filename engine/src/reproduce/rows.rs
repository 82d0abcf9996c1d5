//! Which rows do the paper's Tables 2 and 3 have, and what does each choose?

use serde::{Deserialize, Serialize};

use crate::config::{Aggregation, Config, InitialFrom, ModelKind, NegativeKind, Share, edit_distance};
use crate::error::{Error, Result};

/// A row of the tables: a model, or a variant of LinkNBed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Row {
    /// A matrix for each relation.
    Rescal,
    /// A diagonal matrix for each relation.
    #[serde(rename = "distmult")]
    DistMult,
    /// The same of complex numbers.
    #[serde(rename = "complex")]
    ComplEx,
    /// A way between subject and object, each behind a matrix of the relation's.
    #[serde(rename = "stranse")]
    STransE,
    /// What is around an entity tells which one it is.
    Gake,
    /// An entity is its own vector.
    EmbedOnly,
    /// An entity is its attributes.
    AttrOnly,
    /// An entity is its neighbourhood.
    NhbrOnly,
    /// Its own vector and its attributes.
    EmbedAttr,
    /// Its own vector and its neighbourhood.
    EmbedNhbr,
    /// All three.
    EmbedAll,
    /// All three, with weights that are learned.
    EmbedAllAttention,
}

/// Whether a model learns from the labels that link graphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Learning {
    /// Both losses of the paper; links are judged by Algorithm 2.
    Supervised,
    /// The loss on facts alone; links are judged by the second stage.
    Unsupervised,
}

impl Learning {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Supervised => "supervised",
            Self::Unsupervised => "unsupervised",
        }
    }
}

/// STransE moves every wrong answer by a matrix, so that wrong answers are dear: as many as the paper draws (App. B.2).
const MOST_INDEPENDENT: usize = 50;

impl Row {
    /// All rows, in the paper's order.
    pub const ALL: [Self; 12] = [
        Self::Rescal,
        Self::DistMult,
        Self::ComplEx,
        Self::STransE,
        Self::Gake,
        Self::EmbedOnly,
        Self::AttrOnly,
        Self::NhbrOnly,
        Self::EmbedAttr,
        Self::EmbedNhbr,
        Self::EmbedAll,
        Self::EmbedAllAttention,
    ];

    /// The word for it in commands and files.
    pub fn key(self) -> &'static str {
        match self {
            Self::Rescal => "rescal",
            Self::DistMult => "distmult",
            Self::ComplEx => "complex",
            Self::STransE => "stranse",
            Self::Gake => "gake",
            Self::EmbedOnly => "embed-only",
            Self::AttrOnly => "attr-only",
            Self::NhbrOnly => "nhbr-only",
            Self::EmbedAttr => "embed-attr",
            Self::EmbedNhbr => "embed-nhbr",
            Self::EmbedAll => "embed-all",
            Self::EmbedAllAttention => "embed-all-attention",
        }
    }

    /// The paper's name for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rescal => "RESCAL",
            Self::DistMult => "DistMult",
            Self::ComplEx => "ComplEx",
            Self::STransE => "STransE",
            Self::Gake => "GAKE",
            Self::EmbedOnly => "LinkNBed Embed Only",
            Self::AttrOnly => "LinkNBed Attr Only",
            Self::NhbrOnly => "LinkNBed Nhbr Only",
            Self::EmbedAttr => "LinkNBed Embed + Attr",
            Self::EmbedNhbr => "LinkNBed Embed + Nhbr",
            Self::EmbedAll => "LinkNBed Embed All",
            Self::EmbedAllAttention => "LinkNBed Embed All + Attention",
        }
    }

    /// The row that is meant: its key, or the paper's name for it, however it is spaced.
    pub fn named(written: &str) -> Result<Self> {
        let plain = plain(written);
        if let Some(row) =
            Self::ALL.into_iter().find(|row| [row.key(), row.name()].map(self::plain).contains(&plain))
        {
            return Ok(row);
        }
        let distance = |row: &Self| {
            edit_distance(&plain, &self::plain(row.key()))
                .min(edit_distance(&plain, &self::plain(row.name())))
        };
        // A longer word has room for more slips.
        let near = |row: &Self| distance(row) <= 1 + plain.chars().count() / 3;
        let hint = match Self::ALL.into_iter().min_by_key(distance).filter(near) {
            Some(row) => format!("did you mean {}?", row.key()),
            None => format!("the rows are {}", Self::ALL.map(Self::key).join(", ")),
        };
        Err(Error::Usage(format!("{written:?} is no row of the tables; {hint}")))
    }

    /// Whether it is a model that LinkNBed is compared with.
    pub fn is_baseline(self) -> bool {
        self < Self::EmbedOnly
    }

    /// How the row learns; the first gives its figures of facts. Baselines never learn from links.
    pub fn learnings(self) -> &'static [Learning] {
        match self.is_baseline() {
            true => &[Learning::Unsupervised],
            false => &[Learning::Supervised, Learning::Unsupervised],
        }
    }

    /// The settings of the row: those that are the same for all, but for what the row is about.
    ///
    /// | row | its own settings |
    /// |---|---|
    /// | baselines | `model.kind`; `model.share = "nothing"`, `linkage.on = false`, `initial.from = "random"`; each learns one graph (`training.graphs`) |
    /// | STransE | also `negatives.kind = "independent"`, with at most 50 wrong answers |
    /// | GAKE | also `model.reciprocal = true` and no dropout, which it cannot have |
    /// | LinkNBed | `contexts.own`, `.neighbourhood` and `.attributes` as its name says; `linkage.on` |
    /// | Embed All + Attention | also `contexts.attention = true` |
    ///
    /// The types of relations take part in every variant of LinkNBed, as all are about what entities are made of.
    pub fn config(self, shared: &Config, learning: Learning) -> Result<Config> {
        let mut config = shared.clone();
        match self.kind() {
            Some(kind) => self.as_baseline(&mut config, kind),
            None => self.as_variant(&mut config, learning),
        }
        config.check().map_err(|error| Error::Usage(format!("row {}: {error}", self.key())))?;
        Ok(config)
    }

    fn kind(self) -> Option<ModelKind> {
        match self {
            Self::Rescal => Some(ModelKind::Rescal),
            Self::DistMult => Some(ModelKind::DistMult),
            Self::ComplEx => Some(ModelKind::ComplEx),
            Self::STransE => Some(ModelKind::STransE),
            Self::Gake => Some(ModelKind::Gake),
            _ => None,
        }
    }

    fn as_baseline(self, config: &mut Config, kind: ModelKind) {
        config.model.kind = kind;
        // Each graph is learned by itself, and none has relations of another.
        config.model.share = Share::Nothing;
        config.linkage.on = false;
        (config.initial.from, config.initial.path) = (InitialFrom::Random, String::new());
        if self == Self::STransE {
            config.negatives.kind = NegativeKind::Independent;
            config.negatives.count = config.negatives.count.min(MOST_INDEPENDENT);
        }
        if self == Self::Gake {
            config.model.reciprocal = true;
            (config.regularization.dropout, config.regularization.relation_dropout) = (0.0, 0.0);
        }
    }

    fn as_variant(self, config: &mut Config, learning: Learning) {
        let (own, attributes, neighbourhood) = match self {
            Self::EmbedOnly => (true, false, false),
            Self::AttrOnly => (false, true, false),
            Self::NhbrOnly => (false, false, true),
            Self::EmbedAttr => (true, true, false),
            Self::EmbedNhbr => (true, false, true),
            _ => (true, true, true),
        };
        // Only the models that it is compared with can ask backwards by vectors of their own.
        config.model.reciprocal = false;
        config.contexts.own = own;
        if !attributes {
            config.contexts.attributes = Aggregation::Off;
        }
        if !neighbourhood {
            config.contexts.neighbourhood = Aggregation::Off;
        }
        config.contexts.attention = self == Self::EmbedAllAttention;
        config.linkage.on = learning == Learning::Supervised;
    }
}

/// Refuses settings that every row has its own of.
pub(super) fn check_shared(config: &Config) -> Result<()> {
    let contexts = &config.contexts;
    let chosen_by_rows = [
        ("model.kind", config.model.kind == ModelKind::LinkNBed),
        ("contexts.own", contexts.own),
        ("contexts.neighbourhood", contexts.neighbourhood != Aggregation::Off),
        ("contexts.attributes", contexts.attributes != Aggregation::Off),
        ("contexts.attention", !contexts.attention),
        ("linkage.on", config.linkage.on),
        ("training.graphs", config.training.graphs.is_empty()),
    ];
    match chosen_by_rows.into_iter().find(|(_, is_open)| !is_open) {
        Some((key, _)) => Err(Error::Usage(format!(
            "{key}: the rows of the tables choose it, so that it cannot be set for all of them"
        ))),
        None => Ok(()),
    }
}

/// A name without case, spaces and signs.
fn plain(name: &str) -> String {
    let letters: String = name.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    letters.strip_prefix("linknbed").map_or(letters.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn default() -> Config {
        Config::preset("default").unwrap()
    }

    #[test]
    fn keys_and_names_lead_to_their_rows() {
        for row in Row::ALL {
            assert_eq!(Row::named(row.key()).unwrap(), row);
            assert_eq!(Row::named(row.name()).unwrap(), row);
            assert_eq!(serde_json::to_value(row).unwrap(), row.key());
        }
        assert_eq!(Row::named("DISTMULT").unwrap(), Row::DistMult);
        assert_eq!(Row::named("linknbed-embed_all (Attention)").unwrap(), Row::EmbedAllAttention);
        assert_eq!(Row::named("Embed+Nhbr").unwrap(), Row::EmbedNhbr);
    }

    #[test]
    fn other_names_are_refused_with_the_nearest() {
        let refusal = |name: &str| Row::named(name).unwrap_err().to_string();
        assert_eq!(refusal("distmul"), "\"distmul\" is no row of the tables; did you mean distmult?");
        assert_eq!(refusal("embd-al"), "\"embd-al\" is no row of the tables; did you mean embed-all?");
        assert_eq!(
            refusal("wheelbarrow"),
            "\"wheelbarrow\" is no row of the tables; the rows are rescal, distmult, complex, stranse, gake, \
             embed-only, attr-only, nhbr-only, embed-attr, embed-nhbr, embed-all, embed-all-attention"
        );
    }

    #[test]
    fn every_row_is_possible_with_both_presets() {
        for preset in ["default", "paper"] {
            let shared = Config::preset(preset).unwrap();
            check_shared(&shared).unwrap();
            for row in Row::ALL {
                for &learning in row.learnings() {
                    let config = row.config(&shared, learning).unwrap();
                    assert_eq!(config.linkage.on, learning == Learning::Supervised, "{row:?}");
                    assert_eq!(config.model.kind != ModelKind::LinkNBed, row.is_baseline(), "{row:?}");
                }
            }
        }
    }

    /// What the paper says of each variant (Sec. 5.2), letter by letter.
    #[test]
    fn variants_are_made_of_what_their_names_say() {
        let contexts = |row: Row| {
            let contexts = row.config(&default(), Learning::Supervised).unwrap().contexts;
            let on = |aggregation| aggregation != Aggregation::Off;
            (contexts.own, on(contexts.attributes), on(contexts.neighbourhood), contexts.attention)
        };
        assert_eq!(contexts(Row::EmbedOnly), (true, false, false, false));
        assert_eq!(contexts(Row::AttrOnly), (false, true, false, false));
        assert_eq!(contexts(Row::NhbrOnly), (false, false, true, false));
        assert_eq!(contexts(Row::EmbedAttr), (true, true, false, false));
        assert_eq!(contexts(Row::EmbedNhbr), (true, false, true, false));
        assert_eq!(contexts(Row::EmbedAll), (true, true, true, false));
        assert_eq!(contexts(Row::EmbedAllAttention), (true, true, true, true));
    }

    #[test]
    fn baselines_share_nothing_and_else_have_the_settings_of_all() {
        let shared = default();
        for row in Row::ALL.into_iter().filter(|row| row.is_baseline()) {
            let mut config = row.config(&shared, Learning::Unsupervised).unwrap();
            assert_eq!(config.model.share, Share::Nothing);
            if row == Row::STransE {
                assert_eq!((config.negatives.kind, config.negatives.count), (NegativeKind::Independent, 50));
                config.negatives = shared.negatives.clone();
            }
            if row == Row::Gake {
                assert!(config.model.reciprocal);
                config.regularization = shared.regularization.clone();
            }
            config.model = shared.model.clone();
            config.linkage.on = true;
            assert_eq!(config, shared, "{row:?}");
        }
    }

    #[test]
    fn what_rows_choose_cannot_be_set_for_all() {
        for set in [
            "model.kind=distmult",
            "contexts.own=false",
            "contexts.neighbourhood=off",
            "contexts.attributes=off",
            "contexts.attention=true",
            "linkage.on=false",
        ] {
            let key = set.split('=').next().unwrap();
            let shared = Config::resolve(None, None, &[set.to_owned()]).unwrap();
            assert_eq!(
                check_shared(&shared).unwrap_err().to_string(),
                format!("{key}: the rows of the tables choose it, so that it cannot be set for all of them")
            );
        }
    }

    #[test]
    fn settings_that_a_row_cannot_have_name_the_row() {
        let mut shared = default();
        shared.model.entity = 15;
        assert_eq!(
            Row::ComplEx.config(&shared, Learning::Unsupervised).unwrap_err().to_string(),
            "row complex: model.entity: found 15, but half of the numbers are imaginary parts; expected an even number"
        );
    }
}
