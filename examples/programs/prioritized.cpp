// Prioritized planning of several agents on a grid map.  ./prioritized MAP SCENARIO AGENTS [TRIES]
//
// Build: g++ -std=c++17 -O2 -o prioritized prioritized.cpp
//
// The agents are the first lines of the scenario. Each one in turn takes a shortest path through space and time that
// avoids the paths before it. If an agent finds none, it comes first in the next try.
//
// It prints "expanded N" and "generated N" and, if all agents have paths, "cost C" (the sum of the times of arrival) and
// "paths" with a word of u d l r w for each agent.
// Exit codes: 0 with a plan, 4 if no try has found one (there may be one), 2 for a mistake.

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <functional>
#include <numeric>
#include <queue>
#include <sstream>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "grid.hpp"

struct Agent {
    int start;
    int goal;
};

// Moves between neighbours, and waiting as the last one: the letter of each, and the cell to which it leads or -1.
constexpr std::array<char, 5> LETTERS = {'u', 'd', 'l', 'r', 'w'};
constexpr std::array<int, 5> DX = {0, 0, -1, 1, 0};
constexpr std::array<int, 5> DY = {-1, 1, 0, 0, 0};
using Moves = std::vector<std::array<int, 5>>;

Moves moves_on(const Map& map) {
    Moves moves(map.width() * map.height());
    for (int cell = 0; cell < static_cast<int>(moves.size()); ++cell) {
        const int x = cell % map.width();
        const int y = cell / map.width();
        for (int move = 0; move < 5; ++move) {
            const int to = cell + DY[move] * map.width() + DX[move];
            moves[cell][move] = map.has_step(x, y, DX[move], DY[move]) ? to : -1;
        }
    }
    return moves;
}

std::vector<Agent> read_agents(const std::string& path, size_t count, const Map& map) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);  // the version
    std::vector<Agent> agents;
    while (agents.size() < count && std::getline(file, line)) {
        std::istringstream text(line);
        std::vector<std::string> words;
        for (std::string word; text >> word;) words.push_back(word);
        if (words.size() < 9) throw std::runtime_error("no agent: " + line);
        std::array<int, 4> ends;  // before the last word, the length
        for (size_t i = 0; i < 4; ++i) ends[i] = std::stoi(words[words.size() - 5 + i]);
        for (size_t i = 0; i < 4; i += 2) {
            if (map.terrain(ends[i], ends[i + 1]) == '@') throw std::runtime_error("an obstacle: " + line);
        }
        agents.push_back({ends[1] * map.width() + ends[0], ends[3] * map.width() + ends[2]});
    }
    if (agents.size() < count) throw std::runtime_error(path + " has only " + std::to_string(agents.size()) + " agents");
    return agents;
}

// Number of moves from each cell to a goal, or -1.
std::vector<int> distances_to(int goal, const Moves& moves) {
    std::vector<int> distance(moves.size(), -1);
    std::vector<int> reached = {goal};
    distance[goal] = 0;
    for (size_t i = 0; i < reached.size(); ++i) {
        for (const int to : moves[reached[i]]) {
            if (to < 0 || distance[to] >= 0) continue;
            distance[to] = distance[reached[i]] + 1;
            reached.push_back(to);
        }
    }
    return distance;
}

// The cells of agents that have paths. Behind its end an agent stays at its goal.
class Reservations {
public:
    explicit Reservations(size_t cells) : cells_(cells), stays_from_(cells, INT_MAX), last_(cells, -1) {}

    void add(const std::vector<int>& path) {
        const int arrival = static_cast<int>(path.size()) - 1;
        for (int time = 0; time <= arrival; ++time) {
            mover_[key(time, path[time])] = agents_;
            last_[path[time]] = std::max(last_[path[time]], time);
        }
        stays_from_[path[arrival]] = arrival;
        horizon_ = std::max(horizon_, arrival);
        ++agents_;
    }

    // Whether a step that arrives at a time is free: its cell is, and nobody comes the other way.
    bool is_free(int from, int to, int time) const {
        if (stays_from_[to] <= time || agent_at(time, to) >= 0) return false;
        const int other = agent_at(time - 1, to);
        return other < 0 || other != agent_at(time, from);
    }

    int last_time_in(int cell) const { return last_[cell]; }

    // From this time on all agents stay.
    int horizon() const { return horizon_; }

private:
    long key(int time, int cell) const { return static_cast<long>(time) * cells_ + cell; }

    int agent_at(int time, int cell) const {
        const auto found = mover_.find(key(time, cell));
        return found == mover_.end() ? -1 : found->second;
    }

    long cells_;
    int agents_ = 0;
    int horizon_ = 0;
    std::unordered_map<long, int> mover_;
    std::vector<int> stays_from_;
    std::vector<int> last_;
};

struct Counts {
    long expanded = 0;
    long generated = 0;
};

// A* through space and time. Behind the horizon nothing changes, so that all times there are one.
std::vector<int> shortest_path(
    const Agent& agent, const std::vector<int>& h, const Moves& moves, const Reservations& reserved, Counts& counts) {
    struct Node {
        int cell;
        int time;
        int parent;
    };
    using Entry = std::tuple<int, int, int>;  // f, -time, node: the smallest f first, of these the latest time
    std::vector<Node> nodes;
    std::unordered_map<long, int> earliest;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> open;

    auto earliest_in = [&](int cell, int time) -> int& {
        const long layer = std::min(time, reserved.horizon() + 1);
        return earliest.emplace(layer * static_cast<long>(moves.size()) + cell, INT_MAX).first->second;
    };
    auto reach = [&](int cell, int time, int parent) {
        int& before = earliest_in(cell, time);
        if (before <= time) return;
        before = time;
        open.emplace(time + h[cell], -time, static_cast<int>(nodes.size()));
        nodes.push_back({cell, time, parent});
    };

    if (h[agent.start] < 0) return {};
    reach(agent.start, 0, -1);
    while (!open.empty()) {
        const int number = std::get<2>(open.top());
        const Node node = nodes[number];
        open.pop();
        if (node.time > earliest_in(node.cell, node.time)) continue;  // reached earlier since
        if (node.cell == agent.goal && node.time > reserved.last_time_in(agent.goal)) {
            std::vector<int> path;
            for (int at = number; at >= 0; at = nodes[at].parent) path.push_back(nodes[at].cell);
            std::reverse(path.begin(), path.end());
            return path;
        }
        ++counts.expanded;
        for (const int to : moves[node.cell]) {
            if (to < 0 || !reserved.is_free(node.cell, to, node.time + 1)) continue;
            ++counts.generated;
            reach(to, node.time + 1, number);
        }
    }
    return {};
}

std::string word_of(const std::vector<int>& path, const Moves& moves) {
    std::string word;
    for (size_t time = 1; time < path.size(); ++time) {
        const auto& from = moves[path[time - 1]];
        word += LETTERS[std::find(from.begin(), from.end(), path[time]) - from.begin()];
    }
    return word.empty() ? "w" : word;
}

int main(int count, char** words) {
    if (count < 4 || count > 5) {
        std::fprintf(stderr, "usage: prioritized MAP SCENARIO AGENTS [TRIES]\n");
        return 2;
    }
    try {
        const Map map(words[1]);
        const Moves moves = moves_on(map);
        const std::vector<Agent> agents = read_agents(words[2], std::stoul(words[3]), map);
        std::vector<std::vector<int>> h;  // of each agent
        for (const Agent& agent : agents) h.push_back(distances_to(agent.goal, moves));
        std::vector<size_t> order(agents.size());
        std::iota(order.begin(), order.end(), 0);
        std::vector<std::vector<int>> paths(agents.size());
        Counts counts;
        auto failed = order.begin();  // the first agent without a path, in the order
        for (int tries = count == 5 ? std::stoi(words[4]) : 100; tries > 0; --tries) {
            Reservations reserved(moves.size());
            failed = std::find_if(order.begin(), order.end(), [&](size_t next) {
                paths[next] = shortest_path(agents[next], h[next], moves, reserved, counts);
                if (!paths[next].empty()) reserved.add(paths[next]);
                return paths[next].empty();
            });
            if (failed == order.end()) break;
            std::rotate(order.begin(), failed, failed + 1);
        }
        std::printf("expanded %ld\ngenerated %ld\n", counts.expanded, counts.generated);
        if (failed != order.end()) return 4;
        long cost = 0;
        for (const auto& path : paths) cost += static_cast<long>(path.size()) - 1;
        std::printf("cost %ld\npaths", cost);
        for (const auto& path : paths) std::printf(" %s", word_of(path, moves).c_str());
        std::printf("\n");
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
