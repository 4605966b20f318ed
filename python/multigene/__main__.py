"""`multigene` and `python -m multigene`: the command line, or a sentence when its packages are not installed."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; ends the process with its exit code."""
    try:
        import typer  # noqa: F401
    except ImportError:
        print(
            "multigene: the command line needs more packages: pip install 'multigene[cli]'", file=sys.stderr
        )
        sys.exit(2)
    from multigene.cli import app

    app(prog_name="multigene")


if __name__ == "__main__":
    main()
