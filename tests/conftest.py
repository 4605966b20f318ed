"""Settings of the whole test run."""

from __future__ import annotations

import os
import signal

from hypothesis import settings

# People's runs draw new examples every time; CI draws the same ones, so that a failure is due to a change and not to the dice.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("people", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "people")

# A shell that puts the tests into the background has Ctrl-C ignored, in all processes that they start as well; tests send it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
