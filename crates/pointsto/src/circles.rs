//! Finds the circles among copies: all variables on one hold the same objects, and without merging them every object
//! would be sent around. Only ways between nodes of one filter count, else they would not be the same.

use crate::graph::{Graph, GraphNode};

const UNSEEN: u32 = 0;

/// Merges every circle.
pub fn collapse(graph: &mut Graph) {
    let circles = find(graph);
    for circle in circles {
        graph.merge(&circle);
    }
}

/// Strongly connected components of more than one node, by one depth-first search with its own stack.
fn find(graph: &mut Graph) -> Vec<Vec<GraphNode>> {
    let len = graph.len();
    // Order of discovery, lowered to that of the earliest node reached; u32::MAX when done.
    let mut low = vec![UNSEEN; len];
    let mut open: Vec<GraphNode> = Vec::new();
    let mut path: Vec<(GraphNode, u32, u32)> = Vec::new();
    let mut circles = Vec::new();
    let mut count = 0u32;
    for root in 0..len as GraphNode {
        if low[root as usize] != UNSEEN || !graph.is_own(root) || graph.successors(root).is_empty() {
            continue;
        }
        count += 1;
        low[root as usize] = count;
        path.push((root, 0, count));
        open.push(root);
        while let Some(&mut (node, ref mut at, index)) = path.last_mut() {
            if let Some(&next) = graph.successors(node).get(*at as usize) {
                *at += 1;
                let next = graph.find(next);
                if graph.filter[next as usize] != graph.filter[node as usize] {
                    continue;
                }
                match low[next as usize] {
                    UNSEEN => {
                        count += 1;
                        low[next as usize] = count;
                        path.push((next, 0, count));
                        open.push(next);
                    }
                    l if l < low[node as usize] => low[node as usize] = l,
                    _ => {}
                }
                continue;
            }
            path.pop();
            let reached = low[node as usize];
            if reached == index {
                let from = open.iter().rposition(|&n| n == node).unwrap_or(0);
                for &n in &open[from..] {
                    low[n as usize] = u32::MAX;
                }
                if open.len() - from > 1 {
                    circles.push(open[from..].to_vec());
                }
                open.truncate(from);
            } else if let Some(&(parent, ..)) = path.last() {
                low[parent as usize] = low[parent as usize].min(reached);
            }
        }
    }
    circles
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::Filters;

    #[test]
    fn nodes_on_a_circle_become_one_and_others_do_not() {
        let filters = Filters::new();
        let mut g = Graph::default();
        g.add(6);
        // 0 → 1 → 2 → 0, 2 → 3 → 4 → 3, 4 → 5; 4 has a filter of its own.
        g.filter[4] = 1;
        for (a, b) in [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3), (4, 5)] {
            g.copy(&filters, a, b);
        }
        g.insert(&filters, 1, 9);
        collapse(&mut g);
        let own: Vec<GraphNode> = (0..6).map(|n| g.find(n)).collect();
        assert_eq!(own[1], own[0]);
        assert_eq!(own[2], own[0]);
        assert_eq!(own[3..], [3, 4, 5]);
        assert!(g.points(0).contains(9));
    }
}
