"""Engine of the algorithms: resumable searches (`*_search`), the kernels that they run (`*_step`), and their arrays.

A search is a Python object around one kernel. The kernel runs at most `budget` expansions and returns a `StepStatus`.
Between such steps `search` checks limits, grows memory and reports progress. `nodes` stores nodes as records in one
block of memory that grows in place (`memory`) and finds them through a hash table. `open_list` orders them by a `heap`,
`focal_list` and `alternating_list` in several orders. `values` stores values beside h, and `novelty` the facts that
states have had. `control` names the entries of the array through which a kernel and its Python object communicate, in a
table for each family.

A search of a family derives from `StoredSearch` of `compiled_search`, or its base. The kernels share `find_or_insert`
of `nodes`, and `successors` (expanding a node, relaxing, reopening). Families that differ in their open list alone have
one kernel, `best_first_kernel`, compiled with the functions of each list. `path` has the slots and levels of
depth-first searches, `twins` the node store of searches from both ends. These are one `bidirectional_search` and one
`bidirectional_kernel`, compiled with each rule of `selection`. With `batches`, `best_first_kernel` expands several
nodes before it evaluates their successors.

If the world numbers its states, a kernel finds a node by the number of its state, with a kernel for each world and
heuristic that contains their functions (`inlined`, `numbered`): best-first search if costs are real, searches from both
ends and bounded-suboptimal ones from 16,384 states on. Stacks of several heuristics and those in plain Python take the
kernel of all worlds. Both must expand the same nodes; ``tests/algorithms/engine/test_numbered.py`` compares them.
Searches of a numbering use the same memory one after the other: new pages would take longer than a short search.

`state_space` explores all states from a start and stores the steps, `distances` computes h_star backwards over them,
and `state_values` evaluates a stack in every state.

Plug-ins may import these, which docs/plugins/algorithms.md describes; everything else may change::

    control                        all entries
    control.best_first             all entries
    control.queue                  all entries
    compiled_search                StoredSearch
    hashing                        hash_state
    kernel_arguments               BUFFERS, HEURISTIC, WORLD, expansion_buffers
    nodes                          FIELD_WORDS, PARENT, PREVIOUS, STORE, G, H, Nodes
    nodes                          child_depth, find_or_insert, set_path
    open_list                      DEAD_END, QUEUE, OpenList, first_f, first_node, has_room, is_open, pop, push, remove
    open_list                      CLOSED, FUNCTION, with_function
    search                         StepStatus, status_of
    successors                     expand_node, move_forward
"""
