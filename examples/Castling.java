/**
 * A king and a rook castle on the first rank, one unit step at a time.
 * Expected: king on 7, rook on 6. The side is picked by the wrong comparison,
 * so the rook leaves the board.
 */
public class Castling {
    public static void main(String[] args) {
        Square rook = new Square();
        Square king = new Square();
        king.place(5, 1);
        rook.place(8, 1);
        castling(rook, king);
        System.out.println("king " + king.file + "," + king.rank + " rook " + rook.file + "," + rook.rank);
    }

    /** Short castling when the rook stands on file 8, long castling otherwise. */
    static void castling(Square rook, Square king) {
        boolean shortSide = rook.file != 8; // defect: the comparison is inverted
        if (shortSide) {
            for (int step = 0; step < 2; step++) rook.left();
            for (int step = 0; step < 2; step++) king.right();
        } else {
            for (int step = 0; step < 3; step++) rook.right();
            for (int step = 0; step < 2; step++) king.left();
        }
    }
}

class Square {
    int file;
    int rank;

    void place(int file, int rank) {
        this.file = file;
        this.rank = rank;
    }

    void right() {
        file += 1;
    }

    void left() {
        file -= 1;
    }
}
