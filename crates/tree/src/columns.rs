//! A tree in memory, one column per property: what transformations make, and what strategies weigh anew.

use crate::fragment::{Fragment, Row};
use crate::shape::{Group, Node, Shape, Standing};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    end: Vec<u32>,
    parent: Vec<u32>,
    group: Vec<u32>,
    standing: Vec<Standing>,
    fragment: Vec<Fragment>,
    /// Suspects before each node, and all of them at the end.
    before: Vec<u32>,
}

impl Columns {
    pub fn fragment(&self, node: Node) -> Fragment {
        self.fragment[node.0 as usize]
    }

    /// The node that stands for exactly this fragment. Nodes come in the order of their first rows, an outer one
    /// before those in it.
    pub fn locate(&self, fragment: Fragment) -> Option<Node> {
        let from = self.fragment.partition_point(|other| other.row() < fragment.row());
        let rest = self.fragment.get(from..)?;
        let at = rest.iter().take_while(|other| other.row() == fragment.row()).position(|&it| it == fragment)?;
        Some(Node((from + at) as u32))
    }

    /// The nodes whose fragments begin at rows `first..end`: where these are whole subtrees of the plain tree, whole
    /// subtrees of this one.
    pub fn span(&self, first: Row, end: Row) -> (Node, Node) {
        let at = |row: Row| Node(self.fragment.partition_point(|fragment| fragment.row() < row) as u32);
        (at(first), at(end))
    }

    /// Direct children, as the tree has them.
    pub fn children(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        let end = self.end(node);
        let mut next = Node(node.0 + 1);
        std::iter::from_fn(move || {
            let child = (next < end).then_some(next)?;
            next = self.end(child);
            Some(child)
        })
    }
}

impl Shape for Columns {
    fn len(&self) -> u32 {
        self.end.len() as u32
    }

    fn end(&self, node: Node) -> Node {
        Node(self.end[node.0 as usize])
    }

    fn parent(&self, node: Node) -> Option<Node> {
        Some(self.parent[node.0 as usize]).filter(|&parent| parent != u32::MAX).map(Node)
    }

    fn standing(&self, node: Node) -> Standing {
        self.standing[node.0 as usize]
    }

    fn group(&self, node: Node) -> Group {
        Group(self.group[node.0 as usize])
    }

    fn before(&self, node: Node) -> u32 {
        self.before[node.0 as usize]
    }
}

/// Makes a tree in pre-order: `open` a node, then its children, then `close` it.
#[derive(Debug, Default)]
pub struct Builder {
    columns: Columns,
    open: Vec<u32>,
}

impl Builder {
    pub fn open(&mut self, fragment: Fragment, group: Group, standing: Standing) -> Node {
        let node = self.columns.end.len() as u32;
        self.columns.parent.push(self.open.last().copied().unwrap_or(u32::MAX));
        self.columns.end.push(node + 1);
        self.columns.group.push(group.0);
        self.columns.standing.push(standing);
        self.columns.fragment.push(fragment);
        self.open.push(node);
        Node(node)
    }

    pub fn close(&mut self) {
        if let Some(node) = self.open.pop() {
            self.columns.end[node as usize] = self.columns.end.len() as u32;
        }
    }

    /// A node without children.
    pub fn leaf(&mut self, fragment: Fragment, group: Group, standing: Standing) -> Node {
        let node = self.open(fragment, group, standing);
        self.close();
        node
    }

    pub fn finish(mut self) -> Columns {
        while !self.open.is_empty() {
            self.close();
        }
        let mut suspects = 0;
        self.columns.before = vec![0];
        for standing in &self.columns.standing {
            suspects += u32::from(*standing == Standing::Suspect);
            self.columns.before.push(suspects);
        }
        self.columns
    }
}
