//! Which weights second-order tuning moves.
use rand::RngExt;

use super::is_tuned;
use crate::evaluate::gradient::Tunable;
use crate::tree::gene::Node;
use crate::tree::individual::Individual;
use crate::tree::weights::BIAS;
use crate::vary::grow::SlotRng;

/// Stands for "no parameter".
pub(super) const NOT_TUNED: u32 = u32::MAX;

/// Whose weights are tuned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeneChoice {
    /// Those of one gene.
    One(usize),
    /// Those of all genes, jointly.
    All,
}

/// The weights that are tuned.
#[derive(Clone, Debug, Default)]
pub struct Parameters {
    /// Their places in the individual's table of weights.
    pub places: Vec<usize>,
    /// Which of them multiply a feature in a linear combination.
    pub slopes: Vec<bool>,
    /// The genes that use one of them.
    pub genes: Vec<usize>,
    /// Parameter of every place of the table.
    pub(super) parameter: Vec<u32>,
}

impl Parameters {
    /// Number of weights tuned.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// True when there is nothing to tune.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Takes the weights of the chosen genes that have an effect; of more than `most`, those of random nodes.
    pub fn choose(&mut self, individual: &Individual, choice: GeneChoice, tunable: Tunable, most: usize, rng: &mut SlotRng) {
        let weights = &individual.weights;
        self.places.clear();
        self.slopes.clear();
        self.genes.clear();
        self.parameter.clear();
        self.parameter.resize(weights.values().len(), NOT_TUNED);
        let mut nodes = Vec::new();
        for (i, gene) in individual.genes.iter().enumerate() {
            // A gene with coefficient 0 (a constant, or dependent on others) does nothing, with any weights.
            let effective = individual.coefficients.get(i).is_some_and(|&c| c != 0.0);
            if effective && (choice == GeneChoice::All || choice == GeneChoice::One(i)) {
                nodes.extend(gene.nodes.iter().filter(|node| is_tuned(node, tunable)));
            }
        }
        let size = |node: &Node| node.row().map_or(0, |row| weights.range(row).len());
        if nodes.iter().map(size).sum::<usize>() > most {
            shuffle(&mut nodes, rng);
        }
        for node in &nodes {
            if self.places.len() + size(node) <= most {
                self.take(individual, node, |_| true);
            }
        }
        if let (true, Some(node)) = (self.places.is_empty(), nodes.first()) {
            // Every node alone has too many weights: some of one node.
            let mut chosen: Vec<usize> = node.row().map_or(Vec::new(), |row| weights.range(row).collect());
            shuffle(&mut chosen, rng);
            chosen.truncate(most);
            self.take(individual, node, |place| chosen.contains(&place));
        }
        let uses = |node: &Node| {
            node.row()
                .is_some_and(|row| weights.range(row).any(|place| self.parameter[place] != NOT_TUNED))
        };
        self.genes
            .extend((0..individual.genes.len()).filter(|&i| individual.genes[i].nodes.iter().any(uses)));
    }

    fn take(&mut self, individual: &Individual, node: &Node, wanted: impl Fn(usize) -> bool) {
        let Some(row) = node.row() else { return };
        let combination = matches!(node, Node::Combination(_));
        for (place, &feature) in individual.weights.range(row).zip(individual.weights.row(row).features) {
            // Nodes may share a row.
            if self.parameter[place] == NOT_TUNED && wanted(place) {
                self.parameter[place] = self.places.len() as u32;
                self.places.push(place);
                self.slopes.push(combination && feature != BIAS);
            }
        }
    }
}

fn shuffle<T>(items: &mut [T], rng: &mut SlotRng) {
    for i in (1..items.len()).rev() {
        items.swap(i, rng.random_range(0..=i as u32) as usize);
    }
}
