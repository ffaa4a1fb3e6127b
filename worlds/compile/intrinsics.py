"""Operations for kernels that numba does not offer. Imported together with numba (see `worlds.compile.kernels`).

The overloads must not be ``inline="always"``: numba would then remove dead code, including writes to arrays that it
does not recognise as arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.sigutils import normalize_signature
from numba.extending import intrinsic, overload

from worlds.compile import operations
from worlds.compile.digest import HELPER_OPTIONS, implementations
from worlds.compile.errors import CALLBACK_FAILED


def _implements(
    function: Callable[..., Any], *, prefer_literal: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make numba compile another function in place of one that kernels call."""

    def register(implementation: Callable[..., Any]) -> Callable[..., Any]:
        implementations[function] = implementation
        return overload(function, jit_options=HELPER_OPTIONS, prefer_literal=prefer_literal)(implementation)

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


@_implements(operations.call, prefer_literal=True)
def _call_in_kernels(signature, address, *arguments):
    return lambda signature, address, *arguments: _call(signature, address, arguments)


@intrinsic
def _call_python(context: Any, address: Any, argument: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
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

    return types.int64(types.int64, types.int64), generate


@_implements(operations.call_python)
def _call_python_in_kernels(address, argument):
    return lambda address, argument: _call_python(address, argument)


@intrinsic
def _count_ones(context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@_implements(operations.count_ones)
def _count_ones_in_kernels(word):
    return lambda word: _count_ones(word)


@intrinsic
def _trailing_zeros(context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), generate


@_implements(operations.trailing_zeros)
def _trailing_zeros_in_kernels(word):
    return lambda word: _trailing_zeros(word)


@intrinsic
def _bits_of(context: Any, number: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.uint64(types.float64), generate


@_implements(operations.bits_of)
def _bits_of_in_kernels(number):
    return lambda number: _bits_of(number)


@intrinsic
def _float_of(context: Any, bits: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), generate


@_implements(operations.float_of)
def _float_of_in_kernels(bits):
    return lambda bits: _float_of(bits)


@intrinsic
def _is_before(context: Any, high: Any, low: Any, other_high: Any, other_low: Any) -> Any:
    """Compare the pairs as numbers of 128 bits, which takes two instructions."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = ir.IntType(128)
        parts = [builder.zext(argument, wide) for argument in arguments]
        one, other = (builder.or_(builder.shl(parts[k], ir.Constant(wide, 64)), parts[k + 1]) for k in (0, 2))
        return builder.icmp_signed("<", one, other)

    return types.boolean(*(types.int64,) * 4), generate


@_implements(operations.is_before)
def _is_before_in_kernels(high, low, other_high, other_low):
    return lambda high, low, other_high, other_low: _is_before(high, low, other_high, other_low)


@intrinsic
def _select(context: Any, condition: Any, one: Any, other: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        holds, *values = arguments
        return builder.select(builder.trunc(holds, ir.IntType(1)) if holds.type != ir.IntType(1) else holds, *values)

    return one(types.boolean, one, one), generate


@_implements(operations.select)
def _select_in_kernels(condition, one, other):
    return lambda condition, one, other: _select(condition, one, other)


@intrinsic
def _prefetch(context: Any, array: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = cgutils.create_struct_proxy(signature.args[0])(context, builder, value=arguments[0]).data
        _call_prefetch(builder, builder.gep(data, [arguments[1]]), writes=True)
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


def _call_prefetch(builder: Any, pointer: Any, *, writes: bool) -> None:
    pointer, number = builder.bitcast(pointer, ir.IntType(8).as_pointer()), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [pointer.type, number, number, number])
    function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
    builder.call(function, [pointer, *(ir.Constant(number, value) for value in (int(writes), 3, 1))])


@_implements(operations.prefetch)
def _prefetch_in_kernels(array, index):
    return lambda array, index: _prefetch(array, index)


@intrinsic
def _prefetch_at(context: Any, address: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())
        _call_prefetch(builder, builder.gep(pointer, [arguments[1]]), writes=False)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


@_implements(operations.prefetch_at)
def _prefetch_at_in_kernels(address, index):
    return lambda address, index: _prefetch_at(address, index)


@intrinsic
def _byte_at(context: Any, address: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())
        return builder.zext(builder.load(builder.gep(pointer, [arguments[1]])), ir.IntType(64))

    return types.int64(types.int64, types.int64), generate


@intrinsic
def _int32_at(context: Any, address: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], ir.IntType(32).as_pointer())
        return builder.sext(builder.load(builder.gep(pointer, [arguments[1]])), ir.IntType(64))

    return types.int64(types.int64, types.int64), generate


@_implements(operations.int32_at)
def _int32_at_in_kernels(address, index):
    return lambda address, index: _int32_at(address, index)


@_implements(operations.byte_at)
def _byte_at_in_kernels(address, index):
    return lambda address, index: _byte_at(address, index)
