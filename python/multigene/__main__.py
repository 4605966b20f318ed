"""`multigene` and `python -m multigene`: the command line, or a sentence when its packages are missing."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run the command line; ends the process with its exit code."""
    gc.disable()  # what is imported stays: looking through it for garbage would take a tenth of the start
    try:
        from multigene.cli import app
    except KeyboardInterrupt:
        print("multigene: interrupted", file=sys.stderr)
        sys.exit(130)
    except ImportError as error:
        if error.name != "typer" and "typer" not in str(error):
            raise
        needed = "pip install 'multigene[cli]'"
        print(f"multigene: the command line needs more packages: {needed}", file=sys.stderr)
        sys.exit(2)
    gc.freeze()
    gc.enable()
    app(prog_name="multigene")


if __name__ == "__main__":
    main()
