//! Arranges boxes with arrows in rows: as few arrows as possible point up, each box is below and near the centre of the boxes
//! that point to it, and no row is wider than a page.
//!
//! Law: the rows contain each given box exactly once, for any arrows between them; the same boxes give the same rows.

/// Number of sweeps over the layers in which boxes are moved towards their neighbours.
const SWEEPS: usize = 4;

/// A box: its width, and the boxes that it points to.
pub struct Pointing {
    pub width: usize,
    pub to: Vec<usize>,
}

/// Returns the rows from top to bottom, each from left to right. The first boxes come first, as far as nothing points to them. A
/// row has as many boxes as fit into `most` with `gap` between them, and at least one.
pub fn rows(boxes: &[Pointing], gap: usize, most: usize) -> Vec<Vec<usize>> {
    let below = without_cycles(boxes);
    let mut above: Vec<Vec<usize>> = vec![Vec::new(); boxes.len()];
    for (from, to) in below.iter().enumerate() {
        for to in to {
            above[*to].push(from);
        }
    }
    let mut layers = layers(&below, &above);
    let width = |place: usize| boxes[place].width + gap;
    let mut middles = vec![0i64; boxes.len()];
    for layer in &layers {
        place(layer, width, &mut middles);
    }
    for sweep in 0..SWEEPS {
        let (neighbours, count) = (if sweep % 2 == 0 { &above } else { &below }, layers.len());
        for step in 0..count {
            let number = match sweep % 2 {
                0 => step,
                _ => count - 1 - step,
            };
            let Some(layer) = layers.get_mut(number) else {
                continue;
            };
            layer.sort_by_key(|place| (mean(&neighbours[*place], *place, &middles), *place));
            place(layer, width, &mut middles);
        }
    }
    let rows = layers.iter().flat_map(|layer| broken(layer, width, most + gap));
    rows.collect()
}

/// Returns the distinct targets of each box, without arrows back to a box on the current path.
fn without_cycles(boxes: &[Pointing]) -> Vec<Vec<usize>> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut states = vec![State::New; boxes.len()];
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); boxes.len()];
    for start in 0..boxes.len() {
        if states[start] != State::New {
            continue;
        }
        states[start] = State::Open;
        // A box, and the number of its arrows that were followed.
        let mut path = vec![(start, 0)];
        while let Some((from, followed)) = path.last_mut() {
            let (here, next) = (*from, boxes[*from].to.get(*followed).copied());
            *followed += 1;
            let Some(to) = next else {
                states[here] = State::Done;
                path.pop();
                continue;
            };
            let Some(state) = states.get(to).copied() else {
                continue; // not shown
            };
            if state != State::Open && !below[here].contains(&to) {
                below[here].push(to);
            }
            if state == State::New {
                states[to] = State::Open;
                path.push((to, 0));
            }
        }
    }
    below
}

/// Assigns each box to the layer below the lowest box that points to it.
fn layers(below: &[Vec<usize>], above: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut missing: Vec<usize> = above.iter().map(Vec::len).collect();
    let mut layer: Vec<usize> = (0..below.len()).filter(|place| missing[*place] == 0).collect();
    let mut layers = Vec::new();
    while !layer.is_empty() {
        let mut next = Vec::new();
        for to in layer.iter().flat_map(|place| &below[*place]) {
            missing[*to] -= 1;
            if missing[*to] == 0 {
                next.push(*to);
            }
        }
        next.sort_unstable();
        layers.push(std::mem::replace(&mut layer, next));
    }
    layers
}

/// Records the centres of boxes that are placed side by side around 0.
fn place(layer: &[usize], width: impl Fn(usize) -> usize, middles: &mut [i64]) {
    let total: usize = layer.iter().map(|place| width(*place)).sum();
    let mut left = -(total as i64) / 2;
    for place in layer {
        let width = width(*place) as i64;
        middles[*place] = left + width / 2;
        left += width;
    }
}

/// Returns the mean of the centres of `boxes`; the box's own centre if there are none.
fn mean(boxes: &[usize], own: usize, middles: &[i64]) -> i64 {
    match boxes.len() {
        0 => middles[own],
        count => boxes.iter().map(|place| middles[*place]).sum::<i64>() / count as i64,
    }
}

/// Breaks a layer into rows of similar width that are no wider than `most`.
fn broken(layer: &[usize], width: impl Fn(usize) -> usize, most: usize) -> Vec<Vec<usize>> {
    let total: usize = layer.iter().map(|place| width(*place)).sum();
    let share = total / total.div_ceil(most).max(1);
    let mut rows: Vec<Vec<usize>> = Vec::new();
    let mut used = usize::MAX;
    for place in layer {
        let width = width(*place);
        match rows.last_mut() {
            Some(row) if used < share && used + width <= most => {
                row.push(*place);
                used += width;
            }
            _ => {
                rows.push(vec![*place]);
                used = width;
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::{Pointing, rows};

    #[track_caller]
    fn check(to: &[&[usize]], most: usize, expected: &[&[usize]]) {
        let boxes = to.iter().map(|to| Pointing { width: 10, to: to.to_vec() });
        let boxes: Vec<Pointing> = boxes.collect();
        assert_eq!(rows(&boxes, 2, most), expected);
    }

    #[test]
    fn boxes_stand_below_what_points_to_them() {
        check(&[], 100, &[]);
        check(&[&[1], &[2], &[]], 100, &[&[0], &[1], &[2]]);
        // The longest path counts.
        check(&[&[1, 2], &[2], &[]], 100, &[&[0], &[1], &[2]]);
        // An arrow back, to itself, repeated, or to a box that is not shown has no effect.
        check(&[&[1, 1, 9], &[0, 1]], 100, &[&[0], &[1]]);
        check(&[&[], &[]], 100, &[&[0, 1]]);
    }

    #[test]
    fn boxes_stand_near_what_they_are_connected_with() {
        check(&[&[3], &[2], &[], &[]], 100, &[&[0, 1], &[3, 2]]);
        check(&[&[4], &[3], &[], &[], &[]], 100, &[&[0, 1, 2], &[4, 3]]);
    }

    #[test]
    fn a_row_is_no_wider_than_a_page() {
        check(&[&[], &[], &[], &[]], 46, &[&[0, 1, 2, 3]]);
        check(&[&[], &[], &[], &[]], 45, &[&[0, 1], &[2, 3]]);
        check(&[&[], &[]], 5, &[&[0], &[1]]);
    }
}
