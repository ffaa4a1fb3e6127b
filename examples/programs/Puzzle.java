// IDA* with Manhattan distance for the n-puzzle.  java Puzzle.java ROWS COLUMNS "TILES" "GOAL"
//
// TILES and GOAL list the tiles by rows; 0 is the blank. Needs Java 17.
// It starts sooner if it is compiled: javac Puzzle.java, then java -cp FOLDER Puzzle ROWS ...
//
// It prints "expanded N" and, if there is a solution, "cost C" and "moves U L ...", the directions of the blank.
// Exit codes: 0 with a solution, 3 if there is none, 2 for a mistake.

import java.util.Arrays;

public class Puzzle {
    static final String MOVES = "ULRD";
    static final int[] ROW_STEPS = {-1, 0, 0, 1};
    static final int[] COLUMN_STEPS = {0, -1, 1, 0};

    final int rows;
    final int columns;
    final int[] board;
    final int[] goalCell;  // of each tile
    final StringBuilder path = new StringBuilder();
    long expanded = 0;

    Puzzle(int rows, int columns, int[] board, int[] goal) {
        this.rows = rows;
        this.columns = columns;
        this.board = board;
        goalCell = new int[board.length];
        for (int cell = 0; cell < goal.length; cell++) goalCell[goal[cell]] = cell;
    }

    int distance(int tile, int cell) {
        int goal = goalCell[tile];
        return Math.abs(cell / columns - goal / columns) + Math.abs(cell % columns - goal % columns);
    }

    // Every move swaps two tiles and moves the blank by one cell, so the parities of both must be equal.
    boolean isSolvable(int blank) {
        int inversions = 0;
        for (int first = 0; first < board.length; first++) {
            for (int second = first + 1; second < board.length; second++) {
                if (goalCell[board[first]] > goalCell[board[second]]) inversions++;
            }
        }
        return (inversions + distance(0, blank)) % 2 == 0;
    }

    // Search below the board, which is g moves from the start and has Manhattan distance h.
    // Return 0 if the path leads to the goal, else the smallest f = g + h above the bound.
    int search(int blank, int g, int h, int bound) {
        if (g + h > bound) return g + h;
        if (h == 0) return 0;
        expanded++;
        int next = Integer.MAX_VALUE;
        for (int move = 0; move < 4; move++) {
            int row = blank / columns + ROW_STEPS[move];
            int column = blank % columns + COLUMN_STEPS[move];
            boolean goesBack = g > 0 && path.charAt(g - 1) == MOVES.charAt(3 - move);
            if (goesBack || row < 0 || column < 0 || row == rows || column == columns) continue;
            int cell = row * columns + column;
            int tile = board[cell];
            board[blank] = tile;
            board[cell] = 0;
            path.append(MOVES.charAt(move));
            int found = search(cell, g + 1, h + distance(tile, blank) - distance(tile, cell), bound);
            if (found == 0) return 0;
            next = Math.min(next, found);
            path.setLength(g);
            board[cell] = tile;
            board[blank] = 0;
        }
        return next;
    }

    static int[] tiles(String text) {
        return Arrays.stream(text.trim().split("\\s+")).mapToInt(Integer::parseInt).toArray();
    }

    public static void main(String[] words) {
        if (words.length != 4) {
            System.err.println("usage: java Puzzle.java ROWS COLUMNS \"TILES\" \"GOAL\"");
            System.exit(2);
        }
        int rows = Integer.parseInt(words[0]);
        int columns = Integer.parseInt(words[1]);
        Puzzle puzzle = new Puzzle(rows, columns, tiles(words[2]), tiles(words[3]));
        int blank = 0;
        int h = 0;
        for (int cell = 0; cell < puzzle.board.length; cell++) {
            if (puzzle.board[cell] == 0) blank = cell;
            else h += puzzle.distance(puzzle.board[cell], cell);
        }
        if (!puzzle.isSolvable(blank)) System.exit(3);
        for (int bound = h; bound != 0;) bound = puzzle.search(blank, 0, h, bound);
        System.out.println("expanded " + puzzle.expanded);
        System.out.println("cost " + puzzle.path.length());
        System.out.println("moves " + String.join(" ", puzzle.path.toString().split("")));
    }
}
