"""How the processor is used: threads, bf16, and memory that is kept instead of returned."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

import torch

_TRIM_THRESHOLD, _TOP_PAD, _MMAP_MAX = -1, -2, -4  # mallopt(3)
_GIBIBYTE = 2**30


@lru_cache(maxsize=1)
def keep_memory() -> bool:
    """Lets glibc keep freed memory, so that each step does not ask the kernel for zeroed pages again.

    The same as starting with MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=1073741824 MALLOC_TOP_PAD_=67108864, but
    also where the interpreter already runs, as in a notebook.

    Returns:
        Whether the C library took it; False on systems without glibc.
    """
    try:
        mallopt = ctypes.CDLL("libc.so.6").mallopt
    except (OSError, AttributeError):
        return False
    return all(mallopt(name, value) for name, value in
               ((_MMAP_MAX, 0), (_TRIM_THRESHOLD, _GIBIBYTE), (_TOP_PAD, 64 * 2**20)))  # fmt: skip


@lru_cache(maxsize=1)
def has_bf16() -> bool:
    """Whether the processor multiplies bf16 matrices in hardware; elsewhere bf16 is slower than fp32."""
    flags = ("_is_amx_tile_supported", "_is_avx512_bf16_supported")
    return any(getattr(torch.cpu, name, lambda: False)() for name in flags)


@contextmanager
def fast_arithmetic(threads: int, bf16: bool = True) -> Iterator[None]:
    """Sets threads and the precision of matrix products for a block of work, and puts both back.

    Args:
        threads: of torch, at least 1.
        bf16: allow bf16 inside products of fp32 matrices, where the processor has it.
    """
    keep_memory()
    before = torch.get_num_threads(), torch.get_float32_matmul_precision()
    torch.set_num_threads(threads)
    torch.set_float32_matmul_precision("medium" if bf16 and has_bf16() else "highest")
    try:
        yield
    finally:
        torch.set_num_threads(before[0])
        torch.set_float32_matmul_precision(before[1])


@contextmanager
def search_arithmetic(threads: int, bf16: bool) -> Iterator[None]:
    """The arithmetic in which a trained model writes on the CPU: all that searches must share it to write alike."""
    with fast_arithmetic(threads, bf16), autocast(bf16):
        yield


def autocast(enabled: bool, device: torch.device | None = None) -> torch.autocast:
    """bf16 for matrix products, LSTMs and the states between a Transformer's layers, fp32 for the rest."""
    kind = device.type if device is not None else "cpu"
    return torch.autocast(kind, dtype=torch.bfloat16, enabled=enabled and (kind != "cpu" or has_bf16()))
