//! From standardised features back to the user's: x = mean + scale·z, folded into the leaves.
use crate::error::Result;
use crate::tree::gene::Node;
use crate::tree::individual::Individual;
use crate::tree::weights::{BIAS, Weights};

impl Individual {
    /// The same model in terms of x, where it was evolved on z = (x − mean)/scale.
    pub fn in_original_units(&self, means: &[f64], scales: &[f64]) -> Result<Self> {
        self.check_features(means.len().min(scales.len()))?;
        let mut model = self.clone();
        let mut weights = Weights::default();
        let unscaled = |j: u32| means[j as usize] == 0.0 && scales[j as usize] == 1.0;
        for gene in &mut model.genes {
            gene.column = None;
            for node in &mut gene.nodes {
                *node = match *node {
                    Node::Variable(j) if unscaled(j) => Node::Variable(j),
                    Node::Variable(j) => Node::Combination(weights.push(j, affine(&[(j, 1.0)], means, scales))),
                    Node::Combination(row) => {
                        let row = self.weights.row(row);
                        let terms: Vec<(u32, f64)> = row.iter().collect();
                        Node::Combination(weights.push(row.index, affine(&terms, means, scales)))
                    }
                    Node::Product(row) => {
                        let mut terms: Vec<(u32, f64)> = self.weights.row(row).iter().collect();
                        let factor: f64 = terms
                            .iter()
                            .filter(|t| t.0 != BIAS)
                            .map(|&(j, w)| scales[j as usize].powf(-w))
                            .product();
                        for term in terms.iter_mut().filter(|t| t.0 == BIAS) {
                            term.1 *= factor;
                        }
                        Node::Product(weights.push(BIAS, terms))
                    }
                    other => match other.row() {
                        Some(row) => other.with_row(weights.push_copy(&self.weights, row)),
                        None => other,
                    },
                };
            }
        }
        model.weights = weights;
        Ok(model)
    }
}

/// Terms over z as terms over x.
fn affine(terms: &[(u32, f64)], means: &[f64], scales: &[f64]) -> Vec<(u32, f64)> {
    let bias: f64 = terms
        .iter()
        .map(|&(j, w)| {
            if j == BIAS {
                w
            } else {
                -w * means[j as usize] / scales[j as usize]
            }
        })
        .sum();
    let slopes = terms
        .iter()
        .filter(|t| t.0 != BIAS)
        .map(|&(j, w)| (j, w / scales[j as usize]));
    std::iter::once((BIAS, bias)).chain(slopes).collect()
}
