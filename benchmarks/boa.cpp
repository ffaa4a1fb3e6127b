/* The reference for benchmarks.fronts: BOA* (Hernandez et al. 2020) with a binary heap, by the same rules.
 * Reads from standard input: nodes, arcs; tail, head and two costs of each arc; then queries, start and goal, from 0.
 * Prints of each query: solutions, expanded, generated, labels, seconds of processor time without the estimates. */
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

constexpr int UNREACHED = 2147483647;

struct Arc { int end, costs[2]; };
struct Node { int first, h[2], least; };
struct Label { int node, parent, g1, g2; };
struct Entry { int64_t f; int label; };

static bool comes_before(const Entry &one, const Entry &other) {
    return one.f < other.f || (one.f == other.f && one.label < other.label);
}

struct Heap {
    std::vector<Entry> entries;

    void push(Entry entry) {
        size_t at = entries.size();
        entries.push_back(entry);
        for (; at > 0 && comes_before(entry, entries[(at - 1) / 2]); at = (at - 1) / 2)
            entries[at] = entries[(at - 1) / 2];
        entries[at] = entry;
    }

    Entry pop() {
        Entry top = entries[0], last = entries.back();
        entries.pop_back();
        size_t at = 0, size = entries.size();
        if (size == 0)
            return top;
        for (size_t child = 1; child < size; child = 2 * at + 1) {
            if (child + 1 < size && comes_before(entries[child + 1], entries[child]))
                child++;
            if (!comes_before(entries[child], last))
                break;
            entries[at] = entries[child];
            at = child;
        }
        entries[at] = last;
        return top;
    }
};

struct Graph {
    std::vector<int> first;
    std::vector<Arc> arcs;

    explicit Graph(int nodes, int size) : first(nodes + 1), arcs(size) {}
};

static void estimate(const Graph &backward, std::vector<Node> &nodes, int goal, int k) {
    using Pair = std::pair<int64_t, int>;
    std::priority_queue<Pair, std::vector<Pair>, std::greater<Pair>> open;
    nodes[goal].h[k] = 0;
    open.push({0, goal});
    while (!open.empty()) {
        auto [distance, node] = open.top();
        open.pop();
        if (distance > nodes[node].h[k])
            continue;
        for (int i = backward.first[node]; i < backward.first[node + 1]; i++) {
            const Arc &arc = backward.arcs[i];
            int64_t total = distance + arc.costs[k];
            if (total < nodes[arc.end].h[k]) {
                nodes[arc.end].h[k] = (int)total;
                open.push({total, arc.end});
            }
        }
    }
}

static void search(const Graph &graph, std::vector<Node> &nodes, int start, int goal) {
    std::vector<Label> labels;
    std::vector<int> unused;
    Heap open;
    long long solutions = 0, expanded = 0, generated = 0;
    clock_t begin = clock();
    if (nodes[start].h[0] != UNREACHED) {
        labels.push_back({start, -1, 0, 0});
        open.push({(int64_t)nodes[start].h[0] << 31 | nodes[start].h[1], 0});
    }
    while (!open.entries.empty()) {
        int number = open.pop().label;
        Label label = labels[number];
        Node &node = nodes[label.node];
        if (label.g2 >= node.least || label.g2 + node.h[1] >= nodes[goal].least) {
            unused.push_back(number);
            continue;
        }
        node.least = label.g2;
        if (label.node == goal) {
            solutions++;
            continue;
        }
        expanded++;
        for (int i = node.first; i < nodes[label.node + 1].first; i++) {
            const Arc &arc = graph.arcs[i];
            const Node &head = nodes[arc.end];
            if (head.h[0] == UNREACHED)
                continue;
            generated++;
            Label child = {arc.end, number, label.g1 + arc.costs[0], label.g2 + arc.costs[1]};
            if (child.g2 >= head.least || child.g2 + head.h[1] >= nodes[goal].least)
                continue;
            int place = (int)labels.size();
            if (unused.empty()) {
                labels.push_back(child);
            } else {
                place = unused.back();
                unused.pop_back();
                labels[place] = child;
            }
            open.push({(int64_t)(child.g1 + head.h[0]) << 31 | (child.g2 + head.h[1]), place});
        }
    }
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    printf("%lld %lld %lld %zu %.6f\n", solutions, expanded, generated, labels.size(), seconds);
    fflush(stdout);
}

int main() {
    int count, size;
    if (scanf("%d %d", &count, &size) != 2)
        return 1;
    std::vector<int> tails(size);
    std::vector<Arc> read(size);
    Graph forward(count, size), backward(count, size);
    for (int i = 0; i < size; i++) {
        if (scanf("%d %d %d %d", &tails[i], &read[i].end, &read[i].costs[0], &read[i].costs[1]) != 4)
            return 1;
        forward.first[tails[i] + 1]++;
        backward.first[read[i].end + 1]++;
    }
    for (int node = 0; node < count; node++) {
        forward.first[node + 1] += forward.first[node];
        backward.first[node + 1] += backward.first[node];
    }
    std::vector<int> out = forward.first, in = backward.first;
    for (int i = 0; i < size; i++) {
        forward.arcs[out[tails[i]]++] = read[i];
        backward.arcs[in[read[i].end]++] = {tails[i], {read[i].costs[0], read[i].costs[1]}};
    }
    for (int start, goal; scanf("%d %d", &start, &goal) == 2;) {
        std::vector<Node> nodes(count + 1);
        for (int node = 0; node <= count; node++)
            nodes[node] = {forward.first[node], {UNREACHED, UNREACHED}, UNREACHED};
        for (int k = 0; k < 2; k++)
            estimate(backward, nodes, goal, k);
        search(forward, nodes, start, goal);
    }
}
