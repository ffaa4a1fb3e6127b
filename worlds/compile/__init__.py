"""Compilation by numba: kernels, their cache on disk, and operations that numba lacks. All tricks of numba are here.

A kernel is a plain function over flat arrays and integer offsets with a numba signature (`kernel`). Numba compiles it
on first use. The machine code is cached under the user's cache directory (``NUMBA_CACHE_DIR`` overrides it). Each
kernel has a folder, named by a digest of all that its machine code can reach (`digest`): bytecode and constants of the
function and of all helpers that it calls, closures, constants of their modules and those read through modules, the
implementation of operations, numba and the processor. Comments, docstrings and line numbers do not count. What cannot
be loaded is removed and compiled again. If the cache is not writable, a folder under the temporary directory replaces
it, which all commands of the user share. Kernels of a search are compiled in other processes, beside those of its
problem (`Kernel.compile_ahead`).

What numba compiles is the entry of the kernel: a function that passes all arguments on, into which the kernel is
inlined. The entry has no closure, because numba compares closures by their pickles, which contain line numbers. And it
passes arrays without reference counts: numba counts atomically, which took up to four fifths of the time.

Functions that kernels call are marked `@helper`. Two kernels must not have the same qualified name and signature: numba
would confuse their machine code, and `Kernel` refuses them. `named` names the functions of a factory. An index that a
kernel reads from an array goes through `as_index`, unless it may be negative or exceed 31 bits: numba checks the signs
of others.

A kernel takes other kernels by their addresses (`Kernel.address`) and calls them with `call` (`operations`). Numba has
first-class functions, too, but tries two ways in every call, and kernels with lists of them take longer to compile.

A trap: an `@overload` with ``inline="always"`` makes numba drop writes to arrays that it does not recognise as
arguments (`intrinsics`).
"""

from worlds.compile.cache import cache_folder as cache_folder
from worlds.compile.clock import AHEAD as AHEAD
from worlds.compile.clock import BEGINS as BEGINS
from worlds.compile.clock import READY as READY
from worlds.compile.clock import Identity as Identity
from worlds.compile.clock import compile_seconds as compile_seconds
from worlds.compile.clock import watch_compiling as watch_compiling
from worlds.compile.digest import SCALARS as SCALARS
from worlds.compile.digest import ContentWalk as ContentWalk
from worlds.compile.digest import codes_in as codes_in
from worlds.compile.errors import CALLBACK_FAILED as CALLBACK_FAILED
from worlds.compile.errors import COST_TOO_LARGE as COST_TOO_LARGE
from worlds.compile.errors import MAX_COST as MAX_COST
from worlds.compile.errors import NEGATIVE_H as NEGATIVE_H
from worlds.compile.errors import SUCCESSORS_CHANGED as SUCCESSORS_CHANGED
from worlds.compile.errors import KernelError as KernelError
from worlds.compile.errors import Part as Part
from worlds.compile.errors import error_code as error_code
from worlds.compile.errors import failed_callbacks as failed_callbacks
from worlds.compile.errors import keep as keep
from worlds.compile.errors import raise_on_error as raise_on_error
from worlds.compile.kernels import ADDRESS as ADDRESS
from worlds.compile.kernels import ADDRESSES as ADDRESSES
from worlds.compile.kernels import EXPAND as EXPAND
from worlds.compile.kernels import IS_GOAL as IS_GOAL
from worlds.compile.kernels import Kernel as Kernel
from worlds.compile.kernels import as_index as as_index
from worlds.compile.kernels import cost_error as cost_error
from worlds.compile.kernels import helper as helper
from worlds.compile.kernels import kernel as kernel
from worlds.compile.kernels import load as load
from worlds.compile.kernels import named as named
from worlds.compile.kernels import outdated as outdated
from worlds.compile.kernels import room_for as room_for
from worlds.compile.kernels import successor_count as successor_count
from worlds.compile.kernels import without_collection as without_collection
from worlds.compile.operations import byte_at as byte_at
from worlds.compile.operations import call as call
from worlds.compile.operations import call_python as call_python
from worlds.compile.operations import count_ones as count_ones
from worlds.compile.operations import int32_at as int32_at
from worlds.compile.operations import is_before as is_before
from worlds.compile.operations import prefetch as prefetch
from worlds.compile.operations import prefetch_at as prefetch_at
from worlds.compile.operations import select as select
from worlds.compile.operations import trailing_zeros as trailing_zeros
