"""`python -m floeberg` is the command line."""

from floeberg.cli import main

if __name__ == "__main__":
    main()
