//! The fast way against the plain one: the algorithm as it is told, with sets and every part of every chain tried.

use testkit::Chance;

use super::*;
use crate::fragment::Fragment;
use crate::links::Link;
use crate::memory_tree::TreeBuilder;
use crate::transform::project;
use crate::transform::testing::{check, random, sketch, tree};
use crate::tree::CodeGroup;

struct Twig {
    fragment: Fragment,
    group: CodeGroup,
    suspicion: Suspicion,
    link: Link,
    children: Vec<Twig>,
}

impl Twig {
    fn read(tree: &MemoryTree, links: &Links, node: Node) -> Twig {
        Twig {
            fragment: tree.fragment(node),
            group: tree.group(node),
            suspicion: tree.suspicion(node),
            link: links.of(node),
            children: tree.children(node).map(|child| Twig::read(tree, links, child)).collect(),
        }
    }

    fn write(&self, builder: &mut TreeBuilder) {
        builder.open(self.fragment, self.group, self.suspicion);
        for child in &self.children {
            child.write(builder);
        }
        builder.close();
    }

    fn weight(&self) -> i64 {
        i64::from(self.suspicion == Suspicion::Suspect) + self.children.iter().map(Twig::weight).sum::<i64>()
    }

    fn balance(&mut self) {
        for child in &mut self.children {
            child.balance();
        }
        self.balance_here();
    }

    fn balance_here(&mut self) {
        let weights: Vec<i64> = self.children.iter().map(Twig::weight).collect();
        let total = |part: &[usize]| part.iter().map(|&child| weights[child]).sum::<i64>();
        let mut chains: Vec<Vec<usize>> = Vec::new();
        for (at, child) in self.children.iter().enumerate() {
            let member = |at: usize| self.children[at].suspicion != Suspicion::Through && weights[at] > 0;
            match chains.last_mut() {
                Some(chain) if child.link == Link::Chain && member(at) && member(at - 1) => chain.push(at),
                _ => chains.push(vec![at]),
            }
        }
        chains.retain(|chain| chain.len() > 1);
        let mut left: Vec<usize> = (0..weights.len()).collect();
        let mut weight = self.weight();
        let mut projected: Vec<(usize, usize)> = Vec::new();
        while !chains.is_empty() {
            let half = weight as f64 / 2.0;
            let distance = |weight: i64| (weight as f64 - half).abs();
            let heaviest = *left.iter().rev().max_by_key(|&&child| weights[child]).unwrap();
            let mut best: Option<&[usize]> = None;
            for chain in &chains {
                for from in 0..chain.len() {
                    for to in from + 2..=chain.len() {
                        let part = &chain[from..to];
                        if part.len() == weights.len() {
                            continue;
                        }
                        let better = best.is_none_or(|best| {
                            let (new, old) = (distance(total(part)), distance(total(best)));
                            new < old || new == old && total(part) > total(best)
                        });
                        if better {
                            best = Some(part);
                        }
                    }
                }
            }
            let closer = best.filter(|best| distance(total(best)) <= distance(weights[heaviest]));
            let taken: Vec<usize> = match closer {
                Some(part) if (weights[heaviest] as f64) < half => {
                    projected.push((part[0], part[part.len() - 1]));
                    part.to_vec()
                }
                _ => vec![heaviest],
            };
            weight -= total(&taken);
            left.retain(|child| !taken.contains(child));
            chains = chains
                .iter()
                .flat_map(|chain| chain.split(|child| taken.contains(child)).map(<[usize]>::to_vec))
                .filter(|chain| chain.len() > 1)
                .collect();
        }
        projected.sort_unstable();
        for &(first, last) in projected.iter().rev() {
            let mut children: Vec<Twig> = self.children.drain(first..=last).collect();
            let (first_row, last_row) =
                (children[0].fragment.row(), children[children.len() - 1].fragment.last());
            let group = children[0].group;
            children[0].link = Link::None;
            let fragment = Fragment::Projection { first: first_row, last: last_row };
            let mut twig = Twig { fragment, group, suspicion: Suspicion::Joint, link: Link::None, children };
            twig.balance_here();
            self.children.insert(first, twig);
        }
    }
}

fn naive(tree: &MemoryTree, links: &Links) -> MemoryTree {
    let (shrunk, links) = collapse(tree, links);
    let mut root = Twig::read(&shrunk, &links, Node(0));
    root.balance();
    let mut builder = TreeBuilder::default();
    root.write(&mut builder);
    builder.finish()
}

#[test]
fn it_gives_what_the_algorithm_as_told_gives() {
    let mut dice = Chance::seeded(20_260_101);
    let mut projections = 0;
    for round in 0..4000 {
        let most = if round % 10 == 0 { 60 } else { 25 };
        let methods = 1 + dice.below_u64(4) * 2;
        let (plain, links) = random(&mut dice, most, methods);
        let balanced = balance(&plain, &links);
        assert_eq!(balanced, naive(&plain, &links), "round {round}: {}", sketch(&plain, &links));
        check(&plain, &balanced, None).unwrap_or_else(|what| panic!("round {round}: {what}"));
        projections +=
            (0..balanced.len()).filter(|&it| balanced.suspicion(Node(it)) == Suspicion::Joint).count();
    }
    assert!(projections > 2000, "only {projections} projections in all these trees");
}

/// One node with chains of leaves of its own, and children of weights that tie often.
#[test]
fn it_gives_the_same_on_broad_nodes() {
    let mut dice = Chance::seeded(7);
    for round in 0..600 {
        let (mut builder, mut links) = (TreeBuilder::default(), Vec::new());
        let mut row = 0;
        let mut open = |builder: &mut TreeBuilder, links: &mut Vec<Link>, link, group| {
            builder.open(Fragment::Call(crate::PlainRow(row)), CodeGroup(group), Suspicion::Suspect);
            links.push(link);
            row += 1;
        };
        open(&mut builder, &mut links, Link::None, 0);
        let (heavy, cuts) = (1 + dice.below_u64(12), 2 + dice.below_u64(10));
        for child in 0..1 + dice.below_u64(30) as u32 {
            let link = if child == 0 || dice.below_u64(cuts) == 0 { Link::None } else { Link::Chain };
            open(&mut builder, &mut links, link, child);
            for below in 0..dice.below_u64(heavy) as u32 {
                open(&mut builder, &mut links, Link::None, below);
                builder.close();
            }
            builder.close();
        }
        let (plain, links) = (builder.finish(), Links(links));
        assert_eq!(
            balance(&plain, &links),
            naive(&plain, &links),
            "round {round}: {}",
            sketch(&plain, &links)
        );
    }
}

fn balanced(text: &str) -> String {
    let (plain, links) = tree(text);
    sketch(&balance(&plain, &links), &Links::default())
}

#[test]
fn castling_is_three_questions_either_way() {
    let castling = "c(r -r -r l -l)";
    let (plain, links) = tree(castling);
    let (projected, links) = project(&plain, &links);
    assert_eq!(sketch(&projected, &links), "c([r -r -r] [l -l])");
    assert_eq!((plain.len(), projected.len()), (6, 8));
    assert_eq!(balanced(castling), "c(r*3 l*2)");
}

#[test]
fn merge_sort_shrinks_from_twelve_nodes_to_eight_without_projections() {
    let sort = "s(s(s =s -m(d =d)) s -m(d =d =d))";
    assert_eq!(tree(sort).0.len(), 12);
    assert_eq!(balanced(sort), "s(s(s*2= m(d*2=)) s m(d*3=))");
}

#[test]
fn a_long_chain_is_halved_again_and_again() {
    assert_eq!(
        balanced("z(a -b -c -d -e -f -g -h -i -j -k -l -m -n -o -p)"),
        "z([[[[a b] c] d e] [f g] h i] [[j k] l m] [n o] p)"
    );
    assert_eq!(balanced("z(a -b)"), "z(a b)", "all that was called is no part of it");
    assert_eq!(balanced("z(a -b -c)"), "z([a b] c)");
    assert_eq!(balanced("z(a(x y) -b -c)"), "z(a(x y) [b c])", "what is half already is left alone");
}
