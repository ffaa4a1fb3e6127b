// A* with Manhattan distance.
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <queue>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using Board = std::vector<int>;

Board read_board(const std::string& text) {
    std::istringstream words(text);
    Board board;
    for (int tile; words >> tile;) board.push_back(tile);
    return board;
}

// Return the boards after the moves of the blank that are possible, with the letters of the moves.
std::vector<std::pair<char, Board>> successors(const Board& board, int columns) {
    int blank = 0;
    while (board[blank] != 0) ++blank;
    const int column = blank % columns;
    const int cells = static_cast<int>(board.size());
    std::vector<std::pair<char, Board>> found;
    auto move = [&](char letter, bool is_possible, int to) {
        if (!is_possible) return;
        found.emplace_back(letter, board);
        std::swap(found.back().second[blank], found.back().second[to]);
    };
    move('U', blank >= columns, blank - columns);
    move('D', blank + columns < cells, blank + columns);
    move('L', column > 0, blank - 1);
    move('R', column < columns - 1, blank + 1);
    return found;
}

// Return the sum of the distances of the tiles from their cells in the goal.
int manhattan(const Board& board, const Board& goal, int columns) {
    int sum = 0;
    for (int cell = 0; cell < static_cast<int>(board.size()); ++cell) {
        if (board[cell] == 0) continue;
        int target = 0;
        while (goal[target] != board[cell]) ++target;
        sum += std::abs(cell / columns - target / columns) + std::abs(cell % columns - target % columns);
    }
    return sum;
}

int main(int, char** words) {
    const int columns = std::atoi(words[1]);
    const Board start = read_board(words[2]);
    const Board goal = read_board(words[3]);
    using Entry = std::tuple<int, int, Board>;  // f, h, board: the smallest f first, of these the smallest h
    std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> waiting;
    std::map<Board, std::string> moves{{start, ""}};  // of the shortest path to each board so far
    const int h = manhattan(start, goal, columns);
    waiting.emplace(h, h, start);
    int expanded = 0;
    while (!waiting.empty()) {
        const auto [f, board_h, board] = waiting.top();
        waiting.pop();
        const std::string path = moves[board];
        if (f > static_cast<int>(path.size()) + board_h) continue;  // a shorter path was found later
        if (board == goal) {
            std::cout << "cost " << path.size() << "\nmoves " << path << "\nexpanded " << expanded << "\n";
            return 0;
        }
        ++expanded;
        for (const auto& [letter, successor] : successors(board, columns)) {
            const auto known = moves.find(successor);
            if (known != moves.end() && known->second.size() <= path.size() + 1) continue;
            moves[successor] = path + letter;
            const int successor_h = manhattan(successor, goal, columns);
            waiting.emplace(static_cast<int>(path.size()) + 1 + successor_h, successor_h, successor);
        }
    }
    return 3;
}
