/** Kernel: inserts into AVL trees, recursively, with rotations. Argument: how many trees of 10,000 keys. */
public class AvlKernel {
    private static final int KEYS = 10_000;

    static final class Node {
        final int key;
        int height = 1;
        Node left;
        Node right;

        Node(int key) {
            this.key = key;
        }
    }

    public static void main(String[] args) {
        int trees = Integer.parseInt(args[0]);
        long checksum = 0;
        int random = 99;
        for (int t = 0; t < trees; t++) {
            Node root = null;
            for (int i = 0; i < KEYS; i++) {
                random = random * 1664525 + 1013904223;
                root = insert(root, random >>> 4);
            }
            checksum = checksum * 31 + root.key + root.height + count(root);
        }
        System.out.println("AvlKernel " + checksum);
    }

    static Node insert(Node node, int key) {
        if (node == null) return new Node(key);
        if (key < node.key) node.left = insert(node.left, key);
        else if (key > node.key) node.right = insert(node.right, key);
        else return node;
        return balance(node);
    }

    static Node balance(Node node) {
        update(node);
        int lean = height(node.left) - height(node.right);
        if (lean > 1) {
            if (height(node.left.left) < height(node.left.right)) node.left = rotateLeft(node.left);
            return rotateRight(node);
        }
        if (lean < -1) {
            if (height(node.right.right) < height(node.right.left)) node.right = rotateRight(node.right);
            return rotateLeft(node);
        }
        return node;
    }

    static Node rotateRight(Node node) {
        Node top = node.left;
        node.left = top.right;
        top.right = node;
        update(node);
        update(top);
        return top;
    }

    static Node rotateLeft(Node node) {
        Node top = node.right;
        node.right = top.left;
        top.left = node;
        update(node);
        update(top);
        return top;
    }

    static void update(Node node) {
        node.height = 1 + Math.max(height(node.left), height(node.right));
    }

    static int height(Node node) {
        return node == null ? 0 : node.height;
    }

    static int count(Node node) {
        return node == null ? 0 : 1 + count(node.left) + count(node.right);
    }
}
