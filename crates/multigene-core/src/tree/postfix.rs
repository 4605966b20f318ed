//! A gene as other languages read it: postfix items with their numbers, no table of weights beside them.
use crate::error::{Error, Result};
use crate::tree::gene::{Function, Node};
use crate::tree::individual::Individual;
use crate::tree::operator::Operator;
use crate::tree::weights::{BIAS, OWN_VALUE};

/// A node, or the weights of the inner node before it.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A feature.
    Variable(u32),
    /// A number.
    Constant(f64),
    /// Linear combination ("lcf") or product leaf ("product"): its bias or scale, and its weights by feature.
    Leaf(&'static str, f64, Vec<(u32, f64)>),
    /// A whole power of one argument.
    Power(i8),
    /// Any other operator.
    Function(String),
    /// Additive and multiplicative weight of an inner node.
    Weights(f64, f64),
}

impl Individual {
    /// The items of a gene. For models on their own: no users' operators.
    pub fn items(&self, gene: usize) -> Result<Vec<Item>> {
        let weight = |row: u32, wanted: u32| self.weights.row(row).weight_of(wanted).unwrap_or(0.0);
        let leaf = |name: &'static str, row: u32| {
            let terms = self.weights.row(row).iter().filter(|&(f, _)| f != BIAS).collect();
            Item::Leaf(name, weight(row, BIAS), terms)
        };
        let there = self.genes.get(gene);
        let gene = there.ok_or_else(|| Error::new(format!("There is no gene {gene}; the model has {}.", self.genes.len())))?;
        let mut items = Vec::with_capacity(gene.nodes.len());
        for node in &gene.nodes {
            items.push(match *node {
                Node::Constant(row) => Item::Constant(self.weights.constant(row)),
                Node::Variable(j) => Item::Variable(j),
                Node::Combination(row) => leaf("lcf", row),
                Node::Product(row) => leaf("product", row),
                Node::Apply(Function::Base(operator)) | Node::Weighted(Function::Base(operator), _) => match operator {
                    Operator::Power(n) => Item::Power(n),
                    _ => Item::Function(operator.name()),
                },
                _ => return Err(Error::new("Models have no users' operators left.")),
            });
            if let Node::Weighted(_, row) = *node {
                items.push(Item::Weights(weight(row, BIAS), weight(row, OWN_VALUE)));
            }
        }
        Ok(items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_have_the_numbers_of_the_gene() {
        let model = Individual::parse(&["pow2(x1)*3".into()], 0.0, vec![1.0]).unwrap();
        let items = model.items(0).unwrap();
        assert!(
            items.contains(&Item::Variable(1)) && items.contains(&Item::Constant(3.0)),
            "{items:?}"
        );
        assert_eq!(items.last(), Some(&Item::Function("mul".into())));
        assert!(model.items(1).is_err());
    }
}
