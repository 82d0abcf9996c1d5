//! `predict`: which facts are missing, and what speaks for them?

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use linknbed::dataset::PreparedGraph;
use linknbed::eval::RankSide;
use linknbed::graph::EntityId;
use linknbed::predict::{Answer, Explanation, Part, Predictor, Query, Question, Whose, name_of, queries};
use linknbed::progress::{Progress, Unit};
use linknbed::run::{Run, Trained};
use linknbed::{Error, Result};
use serde_json::{Value, json};

use crate::args::{Common, PredictArgs};
use crate::bars::Bars;
use crate::output::{grouped, one_line, print};

/// So many single neighbours and attributes are told to people.
const SINGLE: usize = 3;
/// What moves a score by less than this share of it is not worth a line.
const NOTABLE: f32 = 0.01;
/// Values can be whole paragraphs; so many characters of them are shown.
const VALUE_LENGTH: usize = 60;

pub(crate) fn run(args: &PredictArgs, common: &Common, bars: &Bars) -> anyhow::Result<()> {
    let run = Run::open(&args.run)?;
    let file = args.queries.as_deref().map(|path| Ok::<_, Error>((path, content(path)?))).transpose()?;
    bars.begin("reading the run", None, Unit::Items);
    let trained = run.load(args.data.as_deref())?;
    trained.check_finite(&run.path)?;
    bars.end();
    let asked = match &file {
        Some((path, content)) => queries(&trained.data, path, content, args.graph.as_deref())?,
        None => vec![question(args)?.query(&trained.data)?],
    };
    let mut predictor = Predictor::new(&trained.joint, &trained.parameters, &run.config);
    if args.explain && !predictor.can_explain() {
        let message = "--explain takes LinkNBed's representations apart, and this run is of another model";
        return Err(Error::Usage(message.to_owned()).into());
    }
    bars.begin("answering", Some(asked.len() as u64), Unit::Items);
    let mut answered = Vec::with_capacity(asked.len());
    for query in asked {
        answered.push(Answered::new(&mut predictor, query, args));
        bars.advance(1);
    }
    bars.end();
    let words = Words { trained: &trained };
    print(&if common.json {
        let all: Vec<Value> = answered.iter().map(|answered| words.json(answered)).collect();
        format!("{:#}\n", json!({"queries": all}))
    } else {
        answered.iter().map(|answered| words.text(answered)).collect::<Vec<_>>().join("\n")
    })
}

fn content(path: &Path) -> Result<Vec<u8>> {
    if path != Path::new("-") {
        return if path.exists() {
            fs::read(path).map_err(Error::io(path))
        } else {
            Err(Error::not_found(path))
        };
    }
    let mut content = Vec::new();
    io::stdin().lock().read_to_end(&mut content).map_err(Error::io(path))?;
    Ok(content)
}

/// The query that the options ask.
fn question(args: &PredictArgs) -> Result<Question<'_>> {
    let (fixed, asked) = match (&args.subject, &args.object) {
        (Some(subject), _) => (Some(subject), RankSide::Tail),
        (None, object) => (object.as_ref(), RankSide::Head),
    };
    match (&args.relation, fixed) {
        (Some(relation), Some(fixed)) => {
            Ok(Question { graph: args.graph.as_deref(), relation, fixed, asked })
        }
        _ => Err(Error::Usage("expected --relation, and --subject or --object".to_owned())),
    }
}

/// A query with its answers.
struct Answered {
    query: Query,
    /// How many right answers are known.
    known: usize,
    /// Each with what spoke for it, if that was asked for.
    answers: Vec<(Answer, Option<Vec<Explanation>>)>,
}

impl Answered {
    fn new(predictor: &mut Predictor<'_>, query: Query, args: &PredictArgs) -> Self {
        let known = predictor.known(query).len();
        let found = predictor.top(query, args.top as usize);
        let explain = |answer| args.explain.then(|| predictor.explain(query, answer));
        let answers = found.into_iter().map(|answer| (answer, explain(answer))).collect();
        Self { query, known, answers }
    }
}

/// Turns numbers into names.
struct Words<'a> {
    trained: &'a Trained,
}

impl Words<'_> {
    /// For people: what was asked, and a line for each answer.
    fn text(&self, answered: &Answered) -> String {
        let mut text = self.heading(answered);
        let graph = self.graph(answered);
        let id = |answer: &Answer| one_line(graph.entities.get(answer.entity));
        let widest = answered.answers.iter().map(|(answer, _)| id(answer).chars().count()).max();
        let width = widest.unwrap_or(0).max("entity".len());
        if !answered.answers.is_empty() {
            text += &format!("place    score  {:<width$}  name\n", "entity");
        }
        for (answer, explanation) in &answered.answers {
            let name = name_of(graph, EntityId(answer.entity)).map_or(String::new(), one_line);
            let line = format!("{:>5}  {:>7.4}  {:<width$}  {name}", answer.place, answer.score, id(answer));
            text += &format!("{}\n", line.trim_end());
            let told = explanation.as_deref().unwrap_or_default();
            self.told(told, answer.score).iter().for_each(|line| text += &format!("{:16}{line}\n", ""));
        }
        text
    }

    fn heading(&self, answered: &Answered) -> String {
        let graph = self.graph(answered);
        let relation = one_line(graph.relations.get(answered.query.relation));
        let fixed = quoted(graph, EntityId(answered.query.fixed));
        let fact = match answered.query.asked {
            RankSide::Tail => format!("{fixed} {relation} which object?"),
            RankSide::Head => format!("which subject {relation} {fixed}?"),
        };
        let known = match answered.known {
            0 => "none is known".to_owned(),
            1 => "1 is known".to_owned(),
            more => format!("{} are known", grouped(more as u64)),
        };
        let end = if answered.answers.is_empty() { ", and no other is left" } else { "" };
        format!("{}: {fact} ({known}{end})\n", one_line(&graph.name))
    }

    /// What spoke for an answer: the contexts, then the strongest single neighbours and attributes.
    fn told(&self, explanation: &[Explanation], score: f32) -> Vec<String> {
        let is_single = |told: &&Explanation| matches!(told.part, Part::Neighbour(_) | Part::Attribute(_));
        let notable = |told: &&Explanation| told.moved.abs() >= NOTABLE * score.abs();
        let contexts = explanation.iter().filter(|told| !is_single(told));
        let single = explanation.iter().filter(is_single).filter(notable).take(SINGLE);
        let lines: Vec<(String, f32)> =
            contexts.chain(single).map(|told| (self.part(told), told.moved)).collect();
        let width = lines.iter().map(|(words, _)| words.chars().count()).max().unwrap_or(0);
        lines.into_iter().map(|(words, moved)| format!("{words:<width$}  {moved:>+8.4}")).collect()
    }

    /// A part of a representation in words.
    fn part(&self, told: &Explanation) -> String {
        let whose = whose(told.whose);
        match told.part {
            Part::Own => format!("{whose} itself"),
            Part::Neighbourhood => format!("{whose}'s neighbourhood"),
            Part::Attributes => format!("{whose}'s attributes"),
            Part::Types => format!("{whose}'s types"),
            Part::Neighbour(id) => {
                let (graph, entity) = self.entity(id);
                format!("neighbour {} of the {whose}", quoted(graph, entity))
            }
            Part::Attribute(attribute) => {
                let (key, value) = self.attribute(attribute);
                format!("{} = {} of the {whose}", one_line(key), one_line(&shortened(value)))
            }
        }
    }

    /// The same as `text`, for scripts.
    fn json(&self, answered: &Answered) -> Value {
        let graph = self.graph(answered);
        let (given, asked) = match answered.query.asked {
            RankSide::Tail => ("subject", "object"),
            RankSide::Head => ("object", "subject"),
        };
        let answer = |(answer, explanation): &(Answer, Option<Vec<Explanation>>)| {
            let mut value = json!({
                "place": answer.place,
                "entity": graph.entities.get(answer.entity),
                "name": name_of(graph, EntityId(answer.entity)),
                "score": answer.score,
            });
            if let Some(told) = explanation {
                value["explanation"] = told.iter().map(|told| self.part_json(told)).collect();
            }
            value
        };
        json!({
            "graph": graph.name,
            given: graph.entities.get(answered.query.fixed),
            "relation": graph.relations.get(answered.query.relation),
            "asked": asked,
            "known": answered.known,
            "answers": answered.answers.iter().map(answer).collect::<Vec<_>>(),
        })
    }

    fn part_json(&self, told: &Explanation) -> Value {
        let part = match told.part {
            Part::Own => "own",
            Part::Neighbourhood => "neighbourhood",
            Part::Attributes => "attributes",
            Part::Types => "types",
            Part::Neighbour(_) => "neighbour",
            Part::Attribute(_) => "attribute",
        };
        let mut value = json!({"whose": whose(told.whose), "part": part, "moved": told.moved});
        match told.part {
            Part::Neighbour(id) => {
                let (graph, entity) = self.entity(id);
                value["neighbour"] = graph.entities.get(entity.0).into();
                value["name"] = name_of(graph, entity).into();
            }
            Part::Attribute(attribute) => {
                let (key, written) = self.attribute(attribute);
                value["key"] = key.into();
                value["value"] = written.into();
            }
            Part::Own | Part::Neighbourhood | Part::Attributes | Part::Types => {}
        }
        value
    }

    fn graph(&self, answered: &Answered) -> &PreparedGraph {
        &self.trained.data.graphs[answered.query.graph]
    }

    /// An entity by its number among those of all graphs.
    fn entity(&self, id: u32) -> (&PreparedGraph, EntityId) {
        let number = self.trained.joint.graph_of(id);
        (&self.trained.data.graphs[number], EntityId(id - self.trained.joint.graphs[number].first))
    }

    /// The key and the value of an attribute.
    fn attribute(&self, attribute: u32) -> (&str, &str) {
        let Trained { data, joint, .. } = self.trained;
        let (key_graph, key) = joint.keys.first_met(joint.attributes.get(attribute).0);
        let (graph, value) = joint.attributes.value_of(attribute);
        (data.graphs[key_graph].keys.get(key), data.graphs[graph].values.get(value).text)
    }
}

fn whose(whose: Whose) -> &'static str {
    match whose {
        Whose::Subject => "subject",
        Whose::Object => "object",
        Whose::Relation => "relation",
    }
}

/// An entity by its name and its id.
fn quoted(graph: &PreparedGraph, entity: EntityId) -> String {
    let id = one_line(graph.entities.get(entity.0));
    name_of(graph, entity).map_or(id.clone(), |name| format!("\"{}\" ({id})", one_line(name)))
}

/// The beginning of a long text.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(VALUE_LENGTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
