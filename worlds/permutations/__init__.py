"""Common part of puzzles that sort a permutation: packed states, the base of their worlds, and indices of all states.

`world` has the layouts of packed permutations, and `PermutationWorld`, the base of `worlds.pancake` and
`worlds.topspin`. `index` numbers all states of a puzzle that rearranges items, such as the n-puzzle, and those of its
pattern databases, without gaps (`worlds.interface.perfect_index`).
"""

from worlds.permutations.index import Rearrangement as Rearrangement
from worlds.permutations.index import index_of_patterns as index_of_patterns
from worlds.permutations.index import index_of_permutations as index_of_permutations
from worlds.permutations.world import GOAL as GOAL
from worlds.permutations.world import MAX_SIZE as MAX_SIZE
from worlds.permutations.world import ONE_WORD as ONE_WORD
from worlds.permutations.world import SEVERAL_WORDS as SEVERAL_WORDS
from worlds.permutations.world import SIZE as SIZE
from worlds.permutations.world import WORDS as WORDS
from worlds.permutations.world import Layout as Layout
from worlds.permutations.world import Permutation as Permutation
from worlds.permutations.world import PermutationWorld as PermutationWorld
from worlds.permutations.world import are_even as are_even
from worlds.permutations.world import item_in_word as item_in_word
from worlds.permutations.world import item_in_words as item_in_words
from worlds.permutations.world import layout_of as layout_of
from worlds.permutations.world import named_permutations as named_permutations
from worlds.permutations.world import per_layout as per_layout
from worlds.permutations.world import places_of as places_of
