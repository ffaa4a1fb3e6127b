// A* for grid maps.  ./grid_astar MAP X,Y X,Y [WEIGHT]
//
// Build: g++ -std=c++17 -O2 -o grid_astar grid_astar.cpp
//
// It prints "expanded N" and "generated N" and, if there is a path, "cost C" and "path x,y x,y ..." with the start.
// Exit codes: 0 with a path, 3 if there is none, 2 for a mistake.

#include <cstdio>

#include "grid.hpp"

int main(int count, char** words) {
    if (count < 4 || count > 5) {
        std::fprintf(stderr, "usage: grid_astar MAP X,Y X,Y [WEIGHT]\n");
        return 2;
    }
    try {
        const double weight = count == 5 ? std::stod(words[4]) : 1;
        const Result result = astar(Map(words[1]), read_cell(words[2]), read_cell(words[3]), weight);
        std::printf("expanded %ld\ngenerated %ld\n", result.expanded, result.generated);
        if (result.path.empty()) return 3;
        std::printf("cost %.9f\npath %s\n", result.cost, text_of(result.path).c_str());
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
