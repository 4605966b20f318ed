//! Synchronised weights (paper, sections 3.3.2 and 3.3.3): conflicts of two weight sets, and the population's shared LCFs.
use crate::evaluate::outer_fit::{Context, Workspace};
use crate::tree::gene::Node;
use crate::tree::individual::Individual;
use crate::tree::weights::Weights;

/// After breeding an index may have two sets of weights: both and their mean are evaluated, jointly over all such indices,
/// and the best is kept. The mean goes on with the first set's steps.
pub fn resolve(individual: &mut Individual, context: Context, workspace: &mut Workspace) {
    let Some(rivals) = individual.rivals.take() else {
        return individual.evaluate(context, workspace);
    };
    let (indices, second) = *rivals;
    let first = individual.clone();
    let candidate = |choose: &dyn Fn(&mut Weights, u32, u32)| {
        let mut candidate = first.clone();
        for (row, &index) in indices.iter().enumerate() {
            choose(&mut candidate.weights, index, row as u32);
        }
        candidate.touch_rows(|node| matches!(node, Node::Combination(index) if indices.contains(index)));
        candidate
    };
    let mut others = [
        candidate(&|weights, index, row| weights.set_row(index, &second, row)),
        candidate(&|weights, index, row| {
            let range = weights.range(index);
            for (value, other) in weights.values_mut()[range].iter_mut().zip(second.row(row).values) {
                *value = 0.5 * (*value + other);
            }
        }),
    ];
    individual.evaluate(context, workspace);
    for other in &mut others {
        other.evaluate(context, workspace);
    }
    for other in others {
        if other.unexplained < individual.unexplained {
            *individual = other;
        }
    }
    // The residual in the workspace belongs to the candidate evaluated last; tuning needs that of the one kept.
    individual.unexplained = f64::NAN;
    individual.evaluate(context, workspace);
}

/// Globally synchronised mode: puts the population's LCFs into an individual.
pub fn mirror(individual: &mut Individual, shared: &Weights) {
    for index in 0..shared.len() as u32 {
        if individual.weights.row(index).values != shared.row(index).values {
            individual.weights.set_row(index, shared, index);
            individual.touch_rows(|node| *node == Node::Combination(index));
        }
    }
}
