"""Owners of claims: processes that work on a store (`store.py`), named so that their death can be seen."""

from __future__ import annotations

import os
import platform
import uuid


def new_owner() -> str:
    """A name for this process as owner of claims; tells where it lives, so that its death can be seen."""
    return "|".join([platform.node(), str(os.getpid()), _start_of(os.getpid()), uuid.uuid4().hex[:8]])


def is_dead(owner: str) -> bool:
    """Whether the owner is known to have ended; owners on other machines are known by their heartbeat alone."""
    host, number, start, _ = owner.split("|") if owner.count("|") == 3 else ("", "", "", "")
    if host != platform.node() or os.name != "posix":
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return _start_of(int(number)) != start  # the number was given to another process since


def _start_of(number: int) -> str:
    """When a process started, in ticks of the kernel; empty where the system does not tell."""
    try:
        with open(f"/proc/{number}/stat", encoding="utf-8", errors="replace") as stat:
            return stat.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
