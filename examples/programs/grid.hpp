// A* on grid maps in the format of the MovingAI benchmarks: eight directions, no corner is cut (docs/gridmap.md).
#pragma once

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <queue>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

// Costs of steps in whole numbers, whose sums are exact. Their ratio is the square root of 2, but for 4e-10.
constexpr long STRAIGHT = 33461;
constexpr long DIAGONAL = 47321;

struct Cell {
    int x;
    int y;
};

struct Map {
    std::vector<std::string> rows;

    explicit Map(const std::string& path) {
        std::ifstream file(path);
        std::string word;
        while (file >> word && word != "map") continue;
        while (file >> word) rows.push_back(word);
        if (rows.empty()) throw std::runtime_error("no map: " + path);
    }

    int width() const { return static_cast<int>(rows[0].size()); }
    int height() const { return static_cast<int>(rows.size()); }

    // '.' is ground and swamp, 'W' is water, '@' is everything else, also beyond the edge.
    char terrain(int x, int y) const {
        if (x < 0 || y < 0 || x >= width() || y >= height()) return '@';
        const char letter = rows[y][x];
        if (letter == 'G' || letter == 'S') return '.';
        return letter == '.' || letter == 'W' ? letter : '@';
    }

    // A step does not leave its terrain. This also holds for the two cells that a diagonal step passes.
    bool has_step(int x, int y, int dx, int dy) const {
        const char here = terrain(x, y);
        const bool stays = terrain(x + dx, y) == here && terrain(x, y + dy) == here && terrain(x + dx, y + dy) == here;
        return stays && here != '@';
    }
};

// Cost of a shortest path without obstacles.
inline long octile(int dx, int dy) {
    const long longer = std::max(std::abs(dx), std::abs(dy));
    const long shorter = std::min(std::abs(dx), std::abs(dy));
    return STRAIGHT * (longer - shorter) + DIAGONAL * shorter;
}

struct Result {
    std::vector<Cell> path;  // from the start to the goal; empty if there is none
    double cost = 0;
    long expanded = 0;
    long generated = 0;
};

inline Result astar(const Map& map, Cell start, Cell goal, double weight) {
    Result result;
    const int width = map.width();
    std::vector<long> cost(width * map.height(), -1);  // of the cheapest path to each cell so far
    std::vector<int> parent(width * map.height(), -1);
    using Entry = std::tuple<double, long, int>;  // f, -g, cell: the smallest f first, of these the largest g
    std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> open;

    auto reach = [&](int x, int y, long g, int from) {
        const int cell = y * width + x;
        if (cost[cell] >= 0 && cost[cell] <= g) return;
        cost[cell] = g;
        parent[cell] = from;
        open.emplace(g + weight * octile(goal.x - x, goal.y - y), -g, cell);
    };

    if (map.terrain(start.x, start.y) == '@') return result;
    reach(start.x, start.y, 0, -1);
    while (!open.empty()) {
        const int cell = std::get<2>(open.top());
        const long g = -std::get<1>(open.top());
        open.pop();
        if (g > cost[cell]) continue;  // a cheaper path was found later
        const int x = cell % width;
        const int y = cell / width;
        if (x == goal.x && y == goal.y) {
            for (int at = cell; at >= 0; at = parent[at]) result.path.push_back({at % width, at / width});
            std::reverse(result.path.begin(), result.path.end());
            result.cost = static_cast<double>(g) / STRAIGHT;
            break;
        }
        ++result.expanded;
        for (int dy = -1; dy <= 1; ++dy) {
            for (int dx = -1; dx <= 1; ++dx) {
                if ((dx == 0 && dy == 0) || !map.has_step(x, y, dx, dy)) continue;
                ++result.generated;
                reach(x + dx, y + dy, g + octile(dx, dy), cell);
            }
        }
    }
    return result;
}

inline Cell read_cell(const std::string& text) {
    const size_t comma = text.find(',');
    if (comma == std::string::npos) throw std::runtime_error("expected a cell X,Y, not " + text);
    return {std::stoi(text.substr(0, comma)), std::stoi(text.substr(comma + 1))};
}

inline std::string text_of(const std::vector<Cell>& path) {
    std::string text;
    for (const Cell& cell : path) {
        if (!text.empty()) text += " ";
        text += std::to_string(cell.x) + "," + std::to_string(cell.y);
    }
    return text;
}
