//! Individuals as bytes, without loss: nodes, weights and which places share them, what tuning remembers, every bit of a number.
//! Text (`text.rs`) is for reading: a function of a user that has its argument twice is two trees there, with weights of their own.
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};
use crate::tree::functions::CustomOperator;
use crate::tree::gene::{Function, Node, is_tree};
use crate::tree::individual::Individual;
use crate::tree::weights::{BIAS, OWN_VALUE, Weights};

/// A value as bytes.
pub fn dump(value: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(value).expect("lists of numbers always become bytes")
}

/// The value that `dump` made the bytes of; what it holds may still be nonsense.
pub fn restore<T: DeserializeOwned>(state: &[u8]) -> Result<T> {
    postcard::from_bytes(state).map_err(|_| damaged())
}

/// What is said of bytes that no run has written.
pub fn damaged() -> Error {
    Error::new("The saved models are damaged; start the run anew.")
}

impl Individual {
    /// A model on its own from what `dump` wrote. Its features are checked where there are rows, as those of text are.
    pub fn restored(state: &[u8]) -> Result<Self> {
        let model: Self = restore(state)?;
        if model.is_sound(OWN_VALUE as usize, &[]) {
            Ok(model)
        } else {
            Err(damaged())
        }
    }

    /// Are genes trees, and do all rows, users' operators and features (below `n_features`) that they name exist?
    pub fn is_sound(&self, n_features: usize, library: &[CustomOperator]) -> bool {
        let (n, peak, rivals) = (self.genes.len(), self.peak.as_ref(), self.rivals.as_ref());
        let tables = [Some(&self.weights), peak.map(|peak| &peak.weights)];
        let rows = tables.iter().flatten().map(|table| table.len()).min().unwrap_or(0);
        let sound = |node: &Node| {
            let known = match *node {
                Node::Variable(feature) => (feature as usize) < n_features,
                Node::Apply(Function::Custom(number, arity)) | Node::Weighted(Function::Custom(number, arity), _) => {
                    library.get(usize::from(number)).is_some_and(|own| own.arity == arity)
                }
                _ => true,
            };
            known && node.row().is_none_or(|row| (row as usize) < rows)
        };
        let tables = tables.into_iter().chain([rivals.map(|rivals| &rivals.1)]);
        tables.flatten().all(|table| table.is_sound(n_features))
            && self
                .genes
                .iter()
                .all(|gene| is_tree(&gene.nodes) && gene.nodes.iter().all(sound))
            && rivals.is_none_or(|rivals| rivals.0.len() == rivals.1.len() && rivals.0.iter().all(|&row| (row as usize) < rows))
            && self.fresh.is_none_or(|gene| (gene as usize) < n)
            && self.coefficients.len() == n
            && peak.is_none_or(|peak| peak.coefficients.len() == n)
    }
}

impl Weights {
    /// Has every row at least one weight, and every weight its feature (below `n_features`) and what tuning remembers of it?
    fn is_sound(&self, n_features: usize) -> bool {
        let known = |&feature: &u32| (feature as usize) < n_features || feature == BIAS || feature == OWN_VALUE;
        self.is_whole() && self.features().iter().all(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> Individual {
        let mut model = Individual::parse(&["sin([0: 0.1 + 2.0*x0])*3".into()], 0.1, vec![1.0 / 3.0]).unwrap();
        let twice = [
            &model.genes[0].nodes[..2],
            &model.genes[0].nodes[..2],
            &model.genes[0].nodes[3..],
        ]
        .concat();
        model.genes[0].nodes = twice; // both places have the same row of weights
        model
    }

    #[test]
    fn what_places_share_they_share_again() {
        let (model, again) = (model(), Individual::restored(&dump(&model())).unwrap());
        assert_eq!(model.genes[0].nodes, again.genes[0].nodes);
        assert_eq!(model.weights, again.weights);
        assert_eq!(model.coefficients, again.coefficients);
        let read = Individual::parse(&model.texts(), model.intercept, model.coefficients.clone()).unwrap();
        assert_ne!(read.genes[0].nodes, model.genes[0].nodes);
    }

    #[test]
    fn bytes_that_no_run_has_written_are_refused_or_a_model() {
        let state = dump(&model());
        let x = ndarray::array![[1.0, 2.0]];
        for place in 0..state.len() {
            for value in [0, 1, 5, 127, 255] {
                let mut damaged = state.clone();
                damaged[place] = value;
                if let Ok(model) = Individual::restored(&damaged) {
                    let _ = model.predict_rows(x.view()); // a value or an error, no panic
                }
            }
        }
    }
}
