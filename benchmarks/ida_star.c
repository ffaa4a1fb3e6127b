/* The reference for benchmarks.npuzzle: IDA* with Manhattan distance on the 15-puzzle, driven by tables.
 * Reads boards of 16 tiles from standard input, one after the other; prints cost, nodes and seconds of each. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SIDE = 4, CELLS = SIDE * SIDE };

static int board[CELLS];
static int neighbours[CELLS][5]; /* ended by -1; up, left, right, down */
static int change[CELLS][CELLS][CELLS]; /* of the distance when a tile goes from a cell to another */
static int bound, next_bound;
static uint64_t generated;

static int distance(int tile, int cell) {
    return abs(tile / SIDE - cell / SIDE) + abs(tile % SIDE - cell % SIDE);
}

static void fill_tables(void) {
    static const int rows[4] = {-1, 0, 0, 1}, columns[4] = {0, -1, 1, 0};
    for (int cell = 0; cell < CELLS; cell++) {
        int count = 0;
        for (int move = 0; move < 4; move++) {
            int row = cell / SIDE + rows[move], column = cell % SIDE + columns[move];
            if (row >= 0 && row < SIDE && column >= 0 && column < SIDE)
                neighbours[cell][count++] = row * SIDE + column;
        }
        neighbours[cell][count] = -1;
    }
    for (int tile = 1; tile < CELLS; tile++)
        for (int from = 0; from < CELLS; from++)
            for (int to = 0; to < CELLS; to++)
                change[tile][from][to] = distance(tile, to) - distance(tile, from);
}

/* The cost of a solution within the bound, or -1. */
static int search(int blank, int before, int g, int h) {
    for (const int *to = neighbours[blank]; *to >= 0; to++) {
        if (*to == before)
            continue;
        generated++;
        int tile = board[*to];
        int child = h + change[tile][*to][blank];
        if (g + 1 + child > bound) {
            if (g + 1 + child < next_bound)
                next_bound = g + 1 + child;
            continue;
        }
        if (child == 0)
            return g + 1;
        board[blank] = tile;
        int cost = search(*to, blank, g + 1, child);
        board[*to] = tile;
        if (cost >= 0)
            return cost;
    }
    return -1;
}

int main(void) {
    fill_tables();
    for (;;) {
        int start[CELLS], blank = 0, h = 0;
        for (int cell = 0; cell < CELLS; cell++) {
            if (scanf("%d", &start[cell]) != 1)
                return 0;
            if (start[cell] == 0)
                blank = cell;
            else
                h += distance(start[cell], cell);
        }
        clock_t begin = clock();
        int cost = h == 0 ? 0 : -1;
        generated = 0;
        for (bound = h; cost < 0; bound = next_bound) {
            for (int cell = 0; cell < CELLS; cell++)
                board[cell] = start[cell];
            next_bound = 1 << 20;
            cost = search(blank, -1, 0, h);
        }
        printf("%d %llu %.6f\n", cost, (unsigned long long)generated, (double)(clock() - begin) / CLOCKS_PER_SEC);
        fflush(stdout);
    }
}
