// Manhattan distances of sliding-tile puzzles, a heuristic.  ./manhattan COLUMNS GOAL  (docs/programs.md)
//
// A batch is a line with the number of boards, and a line with the tiles of each, 0 for the blank. The answer is a line
// with a number for each board. The output is flushed after a batch: the runner waits for it.

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <vector>

// Read a number of at least 0, and return it; -1 at the end of the input.
static int next() {
    int c = getchar_unlocked();
    while (c == ' ' || c == '\n')
        c = getchar_unlocked();
    if (c == EOF)
        return -1;
    int number = 0;
    for (; c >= '0' && c <= '9'; c = getchar_unlocked())
        number = 10 * number + c - '0';
    return number;
}

int main(int count, char **words) {
    if (count != 3)
        return 2;
    const int columns = std::atoi(words[1]);
    std::istringstream given(words[2]);
    std::vector<int> goal;
    for (int tile; given >> tile;)
        goal.push_back(tile);
    const int cells = goal.size();
    std::vector<int> distance(cells * cells);  // of a tile in a place; 0 for the blank
    for (int target = 0; target < cells; ++target)
        for (int place = 0; place < cells && goal[target] != 0; ++place)
            distance[goal[target] * cells + place] =
                std::abs(place / columns - target / columns) + std::abs(place % columns - target % columns);
    for (int boards; (boards = next()) >= 0; std::fflush(stdout))
        for (; boards > 0; --boards) {
            int sum = 0;
            for (int place = 0; place < cells; ++place)
                sum += distance[next() * cells + place];
            std::printf("%d\n", sum);
        }
}
