// My A*. This is breadth-first search; what is missing is the heuristic.
#include <cstdlib>
#include <iostream>
#include <map>
#include <queue>
#include <sstream>
#include <string>
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

int main(int, char** words) {
    const int columns = std::atoi(words[1]);
    const Board start = read_board(words[2]);
    const Board goal = read_board(words[3]);
    std::map<Board, std::string> moves{{start, ""}};  // to each board
    std::queue<Board> waiting{{start}};
    int expanded = 0;
    while (!waiting.empty()) {
        const Board board = waiting.front();
        waiting.pop();
        const std::string path = moves[board];
        if (board == goal) {
            std::cout << "cost " << path.size() << "\nmoves " << path << "\nexpanded " << expanded << "\n";
            return 0;
        }
        ++expanded;
        for (const auto& [letter, successor] : successors(board, columns)) {
            if (moves.count(successor)) continue;
            moves[successor] = path + letter;
            waiting.push(successor);
        }
    }
    return 3;
}
