"""`python -m multigene.study`: the study's command line alone."""

from multigene.study.cli import main

if __name__ == "__main__":
    main()
