"""What kernels need and numba does not offer; imported together with numba (`worlds.kernel`).

The overloads must not be ``inline="always"``: numba would then look for dead code, and take writes to arrays of which
it does not see that they are arguments for dead.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from worlds import kernel


@intrinsic
def _borrowed(context: Any, arrays: Any) -> Any:
    """Clear the pointer to the reference count."""

    def array_without_count(context: Any, builder: Any, kind: Any, value: Any) -> Any:
        array = cgutils.create_struct_proxy(kind)(context, builder, value=value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        return array._getvalue()

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        (kind,), (value,) = signature.args, arguments
        if isinstance(kind, types.Array):
            return array_without_count(context, builder, kind, value)
        kinds = list(kind)
        parts = cgutils.unpack_tuple(builder, value, len(kinds))
        stripped = [array_without_count(context, builder, k, part) for k, part in zip(kinds, parts, strict=True)]
        return context.make_tuple(builder, kind, stripped)

    return arrays(arrays), generate


@overload(kernel.borrowed)
def _borrowed_in_kernels(arrays):
    return lambda arrays: _borrowed(arrays)


@intrinsic
def _call_address(context: Any, address: Any, argument: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        function = builder.inttoptr(arguments[0], ir.PointerType(ir.FunctionType(word, [word])))
        return builder.call(function, [arguments[1]])

    return types.int64(types.int64, types.int64), generate


@overload(kernel.call_address)
def _call_address_in_kernels(address, argument):
    return lambda address, argument: _call_address(address, argument)
