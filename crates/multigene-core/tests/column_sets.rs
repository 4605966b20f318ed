//! Sets of columns: what is found equals what trying everything finds.
use multigene_core::evaluate::column_sets::{Beam, ColumnSet, column_sets};
use multigene_core::vector_math::Level;
use proptest::prelude::*;

const BEAM: Beam = Beam {
    width: 4,
    largest: 4,
    exact: 1e-9,
};

fn unit(mut column: Vec<f64>) -> Vec<f64> {
    let length = column.iter().map(|x| x * x).sum::<f64>().sqrt();
    column.iter_mut().for_each(|x| *x /= length);
    column
}

fn sets(columns: &[Vec<f64>], target: &[f64], beam: Beam) -> Vec<ColumnSet> {
    let cost = vec![1.0; columns.len()];
    column_sets(&columns.concat(), &cost, target, beam, Level::detect()).unwrap()
}

/// A column that is as good as random.
fn noise(seed: u64, rows: usize) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let values = (0..rows).map(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    });
    unit(values.collect())
}

#[test]
fn a_sum_of_three_columns_is_found_and_leaves_nothing() {
    let columns: Vec<_> = (0..50).map(|i| noise(i + 1, 61)).collect();
    let target = (0..61).map(|r| 2.0 * columns[7][r] - 3.0 * columns[20][r] + 1.5 * columns[44][r]);
    let found = sets(&columns, &unit(target.collect()), BEAM);
    let best = found.iter().find(|set| set.members.len() == 3).expect("sets of three");
    let mut members = best.members.clone();
    members.sort_unstable();
    assert_eq!(members, [7, 20, 44]);
    assert!(best.left < 1e-28, "{best:?}");
    assert_eq!(best.cost, 3.0);
    assert!(
        found.iter().all(|set| set.members.len() < 4),
        "nothing is added to an exact set"
    );
}

#[test]
fn a_column_twice_is_no_pair() {
    let column = noise(3, 40);
    let columns = vec![column.clone(), column, noise(4, 40)];
    let found = sets(&columns, &noise(5, 40), BEAM);
    assert!(found.iter().all(|set| set.members != [0, 1]));
    assert!(found.iter().any(|set| set.members == [0, 2]));
}

#[test]
fn no_columns_no_sets() {
    assert!(sets(&[], &noise(1, 9), BEAM).is_empty());
    let single = sets(&[noise(2, 9)], &noise(1, 9), BEAM);
    assert_eq!(single.len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_best_pair_is_the_best_of_all(seed in 1u64..1_000_000, n in 2usize..40, rows in 5usize..40) {
        let columns: Vec<_> = (0..n as u64).map(|i| noise(seed * 1000 + i, rows)).collect();
        let target = noise(seed, rows);
        let beam = Beam { largest: 2, ..BEAM };
        let found = sets(&columns, &target, beam);
        let best = found.iter().find(|set| set.members.len() == 2).expect("a pair");
        for i in 0..n {
            for j in i + 1..n {
                let two = [columns[i].clone(), columns[j].clone()];
                let left = sets(&two, &target, beam).last().expect("the pair itself").left;
                prop_assert!(best.left <= left + 1e-12);
            }
        }
        // Every level of vector instructions finds the same.
        let cost = vec![1.0; n];
        for level in Level::available() {
            let other = column_sets(&columns.concat(), &cost, &target, beam, level).unwrap();
            prop_assert_eq!(&other[0].members, &found[0].members);
        }
    }
}
