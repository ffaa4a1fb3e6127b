"""Operations for kernels that numba does not offer. Imported together with numba (see `worlds.compile.kernels`).

The overloads must not be ``inline="always"``: numba would then remove dead code, including writes to arrays that it
does not recognise as arguments.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.sigutils import normalize_signature
from numba.extending import intrinsic, overload

from worlds.compile import operations
from worlds.compile.digest import HELPER_OPTIONS, implementations
from worlds.compile.errors import CALLBACK_FAILED

Build = Callable[[Any, Any, Any, Any], Any]
"""``build(context, builder, signature, arguments)`` writes the instructions of an operation, and returns its value."""


def _implements(operation: Callable[..., Any], signature: str | Callable[..., Any]) -> Callable[[Build], Build]:
    """Make numba write instructions in place of an operation that kernels call.

    Parameters
    ----------
    operation : callable
    signature : str or callable
        Numba signature, or a function that returns it, given the types of the arguments.
    """

    def signature_of(*given: Any) -> Any:
        if not isinstance(signature, str):
            return signature(*given)
        kinds, result = normalize_signature(signature)
        return result(*kinds)

    def register(build: Build) -> Build:
        names = ", ".join(inspect.signature(operation).parameters)
        known: dict[str, Any] = {"signature_of": signature_of, "build": build}
        known["written"] = intrinsic(eval(f"lambda context, {names}: (signature_of({names}), build)", known))
        known["replacement"] = eval(f"lambda {names}: written({names})", known)
        overload(operation, jit_options=HELPER_OPTIONS)(eval(f"lambda {names}: replacement", known))
        implementations[operation] = signature, build
        return build

    return register


@intrinsic
def borrowed(context: Any, arrays: Any) -> Any:
    """Return an argument without the pointers to the reference counts of the arrays in it."""

    def without_counts(context: Any, builder: Any, kind: Any, value: Any) -> Any:
        if isinstance(kind, types.Array):
            array = cgutils.create_struct_proxy(kind)(context, builder, value=value)
            array.meminfo = cgutils.get_null_value(array.meminfo.type)
            return array._getvalue()
        if not isinstance(kind, types.BaseTuple):
            context.nrt.incref(builder, kind, value)  # a list; numba releases what an intrinsic returns
            return value
        kinds: Any = kind
        parts = zip(kinds, cgutils.unpack_tuple(builder, value, len(kinds)), strict=True)
        return context.make_tuple(builder, kind, [without_counts(context, builder, k, part) for k, part in parts])

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return without_counts(context, builder, signature.args[0], arguments[0])

    return arrays(arrays), generate


@intrinsic(prefer_literal=True)
def _call(context: Any, signature: Any, address: Any, arguments: Any) -> Any:
    """Call a function as numba calls its own, so that exceptions of the function pass through."""
    if not isinstance(signature, types.StringLiteral):
        return None
    kinds, result = normalize_signature(signature.literal_value)
    if len(arguments) != len(kinds) or None in map(context.can_convert, arguments, kinds):
        return None

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        parts = cgutils.unpack_tuple(builder, values[2], len(kinds))
        parts = [context.cast(builder, *each) for each in zip(parts, signature.args[2], kinds, strict=True)]
        convention = context.call_conv
        function = builder.inttoptr(values[1], convention.get_function_type(result, kinds).as_pointer())
        status, value = convention.call_function(builder, function, result, kinds, parts)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return value

    return result(signature, types.int64, arguments), generate


@overload(operations.call, jit_options=HELPER_OPTIONS, prefer_literal=True)
def _call_in_kernels(signature, address, *arguments):
    return lambda signature, address, *arguments: _call(signature, address, arguments)


implementations[operations.call] = _call_in_kernels


@_implements(operations.call_python, "int64(int64, int64)")
def _call_python(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    python = context.get_python_api(builder)
    outcome = cgutils.alloca_once_value(builder, ir.Constant(ir.IntType(64), CALLBACK_FAILED))
    number = python.long_from_longlong(arguments[1])
    result = python.call_function_objargs(builder.inttoptr(arguments[0], python.pyobj), (number,))
    python.decref(number)
    with builder.if_else(cgutils.is_null(builder, result)) as (failed, returned):
        with failed:
            python.err_clear()
        with returned:
            builder.store(python.long_as_longlong(result), outcome)
            python.decref(result)
    return builder.load(outcome)


@_implements(operations.count_ones, "int64(uint64)")
def _count_ones(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.ctpop(arguments[0])


@_implements(operations.trailing_zeros, "int64(uint64)")
def _trailing_zeros(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))


@_implements(operations.is_before, "boolean(int64, int64, int64, int64)")
def _is_before(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Compare the pairs as numbers of 128 bits, which takes two instructions."""
    wide = ir.IntType(128)
    parts = [builder.zext(argument, wide) for argument in arguments]
    one, other = (builder.or_(builder.shl(parts[k], ir.Constant(wide, 64)), parts[k + 1]) for k in (0, 2))
    return builder.icmp_signed("<", one, other)


@_implements(operations.select, lambda _, one, __: one(types.boolean, one, one))
def _select(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    holds, *values = arguments
    return builder.select(builder.trunc(holds, ir.IntType(1)) if holds.type != ir.IntType(1) else holds, *values)


@_implements(operations.prefetch, lambda array, _: types.void(array, types.int64))
def _prefetch(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    data = cgutils.create_struct_proxy(signature.args[0])(context, builder, value=arguments[0]).data
    _call_prefetch(builder, builder.gep(data, [arguments[1]]), writes=True)
    return context.get_dummy_value()


@_implements(operations.prefetch_at, "void(int64, int64)")
def _prefetch_at(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    _call_prefetch(builder, _element(builder, arguments, 8), writes=False)
    return context.get_dummy_value()


def _call_prefetch(builder: Any, pointer: Any, *, writes: bool) -> None:
    pointer, number = builder.bitcast(pointer, ir.IntType(8).as_pointer()), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [pointer.type, number, number, number])
    function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
    builder.call(function, [pointer, *(ir.Constant(number, value) for value in (int(writes), 3, 1))])


@_implements(operations.byte_at, "int64(int64, int64)")
def _byte_at(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.zext(builder.load(_element(builder, arguments, 8)), ir.IntType(64))


@_implements(operations.int32_at, "int64(int64, int64)")
def _int32_at(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.sext(builder.load(_element(builder, arguments, 32)), ir.IntType(64))


def _element(builder: Any, arguments: Any, bits: int) -> Any:
    """Return the pointer to an element of an array at an address, given the address and an index."""
    return builder.gep(builder.inttoptr(arguments[0], ir.IntType(bits).as_pointer()), [arguments[1]])
