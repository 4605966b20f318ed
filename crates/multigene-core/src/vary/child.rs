//! A child under construction: copies of its parents' genes, changed here and there, with what stays known of them.
use crate::evaluate::least_squares::Gram;
use crate::tree::gene::{Node, start};
use crate::tree::individual::{Gene, Individual};
use crate::tree::weights::Weights;
use crate::vary::grow::{Primitives, Synchronisation};

/// A child under construction. Its table of weights is built anew, so that no row outlives the genes that used it.
pub struct Child<'a> {
    /// As far as it is built.
    pub individual: Individual,
    /// What it is made of.
    pub primitives: &'a Primitives,
    /// Where each gene comes from, while it is unchanged: parent (0 or 1) and gene.
    origins: Vec<Option<(u8, usize)>>,
    parents: [Option<&'a Individual>; 2],
    rivals: Option<Box<(Vec<u32>, Weights)>>,
}

impl<'a> Child<'a> {
    /// A copy of a parent.
    pub fn of(parent: &'a Individual, primitives: &'a Primitives) -> Self {
        Self::with_genes(parent, primitives, |_| true)
    }

    /// A copy of a parent with some of its genes.
    pub fn with_genes(parent: &'a Individual, primitives: &'a Primitives, stays: impl Fn(usize) -> bool) -> Self {
        let mut weights = Weights::default();
        if primitives.shares_rows() {
            for index in 0..primitives.n_features as u32 {
                weights.push_copy(&parent.weights, index);
            }
        }
        let mut child = Self {
            individual: Individual::empty(weights),
            primitives,
            origins: Vec::new(),
            parents: [Some(parent), None],
            rivals: None,
        };
        for (i, gene) in parent.genes.iter().enumerate() {
            if stays(i) {
                let nodes = child.adopt(&gene.nodes, &parent.weights);
                child.individual.genes.push(Gene {
                    nodes,
                    column: gene.column.clone(),
                });
                child.origins.push(Some((0, i)));
            }
        }
        child
    }

    /// Copies nodes of another individual with the rows they use. Rows shared by index stay where they are.
    fn adopt(&mut self, nodes: &[Node], from: &Weights) -> Vec<Node> {
        let shared = self.primitives.shares_rows();
        nodes
            .iter()
            .map(|&node| match node {
                Node::Combination(_) if shared => node,
                _ => node
                    .row()
                    .map_or(node, |row| node.with_row(self.individual.weights.push_copy(from, row))),
            })
            .collect()
    }

    /// Appends gene `i` of the second parent.
    pub fn receive(&mut self, second: &'a Individual, i: usize) {
        self.parents[1] = Some(second);
        let gene = &second.genes[i];
        let unchanged = self.meet(&gene.nodes, &second.weights);
        let nodes = self.adopt(&gene.nodes, &second.weights);
        self.individual.genes.push(Gene {
            nodes,
            column: gene.column.clone().filter(|_| unchanged),
        });
        self.origins.push(unchanged.then_some((1, i)));
    }

    /// Replaces the subtree that ends at node `at` of gene `i`. `from` is the table the new nodes' rows are copied from (None
    /// when they are rows of the child already), `sets` the weights they bring for indices that nodes share.
    pub fn replace(&mut self, i: usize, at: usize, subtree: &[Node], from: Option<&Weights>, sets: Option<&Weights>) {
        let nodes = std::mem::take(&mut self.individual.genes[i].nodes);
        let begin = start(&nodes, at);
        // While weight sets meet, only what stays of the gene counts as the child's own.
        self.individual.genes[i].nodes = [&nodes[..begin], &nodes[at + 1..]].concat();
        if let Some(sets) = sets {
            self.meet(subtree, sets);
        }
        let subtree = from.map_or_else(|| subtree.to_vec(), |weights| self.adopt(subtree, weights));
        self.individual.genes[i].nodes.splice(begin..begin, subtree);
        self.touch(i);
    }

    /// Synchronised mode: foreign nodes bring their own weights for an index. Where the child does not use that index they
    /// are taken over; where it does, both sets are kept until evaluation decides. Returns whether foreign weights are
    /// (for now) in force, so that a foreign gene's column is still right.
    fn meet(&mut self, foreign: &[Node], from: &Weights) -> bool {
        if !self.primitives.shares_rows() || self.primitives.synchronisation == Synchronisation::Global {
            return true;
        }
        let mut same = true;
        for node in foreign {
            let &Node::Combination(index) = node else { continue };
            if self.individual.weights.row(index).values == from.row(index).values {
                continue;
            }
            if self.uses(index) {
                let rivals = self.rivals.get_or_insert_default();
                if !rivals.0.contains(&index) {
                    rivals.0.push(index);
                    rivals.1.push_copy(from, index);
                }
                same = false;
            } else {
                self.individual.weights.set_row(index, from, index);
            }
        }
        same
    }

    fn uses(&self, index: u32) -> bool {
        self.individual
            .genes
            .iter()
            .any(|gene| gene.nodes.contains(&Node::Combination(index)))
    }

    /// Appends a new gene.
    pub fn push(&mut self, nodes: Vec<Node>) {
        self.individual.genes.push(Gene::new(nodes));
        self.origins.push(None);
    }

    /// Drops a gene.
    pub fn remove(&mut self, i: usize) {
        self.individual.genes.remove(i);
        self.origins.remove(i);
    }

    /// What is known of gene `i` no longer holds.
    pub fn touch(&mut self, i: usize) {
        self.individual.genes[i].column = None;
        self.origins[i] = None;
    }

    /// The child with what its parents already know: columns and inner products of genes that were left alone.
    pub fn finish(mut self) -> Individual {
        if let Some(rivals) = self.rivals.take() {
            self.individual.rivals = Some(rivals);
        }
        let genes = self.individual.genes.len();
        let mut gram = Gram::unknown(genes);
        for i in 0..genes {
            let Some((parent, a)) = self.origins[i].filter(|_| self.individual.genes[i].column.is_some()) else {
                continue;
            };
            let known = &self.parents[parent as usize].expect("origins name parents").gram;
            if known.len() <= a {
                continue;
            }
            gram.set_target(i, known.target(a));
            for j in 0..=i {
                match self.origins[j] {
                    Some((other, b)) if other == parent && b < known.len() => gram.set(i, j, known.get(a, b)),
                    _ => {}
                }
            }
        }
        self.individual.gram = gram;
        // Tuning starts with what is new; a lone change is the last of several.
        self.individual.fresh = self.origins.iter().rposition(Option::is_none).map(|i| i as u32);
        self.individual
    }
}
