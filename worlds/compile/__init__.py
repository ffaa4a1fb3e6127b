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
would confuse their machine code, and `Kernel` raises an error. `named` names the functions of a factory. An index that
a kernel reads from an array goes through `as_index`, unless it may be negative or exceed 31 bits: numba checks the sign
of all others.

A kernel takes other kernels by their addresses (`Kernel.address`) and calls them with `call` (`operations`). Numba has
first-class functions, too, but tries two ways in every call, and kernels with lists of them take longer to compile.

A trap: an `@overload` with ``inline="always"`` makes numba drop writes to arrays that it does not recognise as
arguments (`intrinsics`).
"""
