"""`python -m edge_agent`: the same as the console script."""

from edge_agent.cli import main

if __name__ == "__main__":
    main()
