"""Check of the kernels that a world declares, before they run."""

from __future__ import annotations

from worlds.compile import EXPAND, IS_GOAL, Kernel
from worlds.interface.world import Kernels, World


def kernel_mistake(world: World) -> str | None:
    """Return what is wrong with the kernels of a world; None if nothing is, or it has no kernels."""
    kernels = world.kernels
    if kernels is None:
        return None
    expected = {"expand_kernel": EXPAND, "goal_kernel": IS_GOAL}
    if kernels.predecessors_kernel is not None:
        expected["predecessors_kernel"] = EXPAND
    for name, signature in expected.items():
        declared = getattr(kernels, name)
        if not isinstance(declared, Kernel) or declared.signature != signature:
            decorator = "@kernel(EXPAND)" if signature == EXPAND else "@kernel(IS_GOAL)"
            found = f"the kernel {declared.__name__}" if isinstance(declared, Kernel) else declared or "nothing"
            return f"{name}: expected a function marked with {decorator}, got {found}"
    if world.cost_scale == "auto":
        return "cost_scale: a compiled world needs a number, in whose units its kernels write costs"
    if kernels.predecessors_kernel is not None and not world.is_invertible:
        return "predecessors_kernel: needs the methods predecessors and goals, too"
    has_default_successors = type(world).successors is Kernels.successors
    if has_default_successors and type(world).step_of is World.step_of:
        return "the rules are missing: define successors or step_of"
    return None
