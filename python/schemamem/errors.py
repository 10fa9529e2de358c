"""What can go wrong, one class for each kind. All of them are ``schemamem.Error``; most are also the built-in
exception that a Python program would expect in their place.

>>> import schemamem as sm
>>> try:
...     sm.load("a3v3-schemamem-steady-s43")
... except sm.UsageError as error:
...     print(error.code, "is called" in str(error))
64 True
"""


class Error(Exception):
    """Anything that the library refuses or fails at. ``code`` is the exit code of the program ``schemamem``."""

    code = 1


class Failed(Error, RuntimeError):
    """A check did not pass."""

    code = 1


class StepLimit(Error, RuntimeError):
    """Training ended at its step limit, below its target."""

    code = 2


class UsageError(Error, ValueError):
    """The request itself is wrong: an unknown name, an address that does not exist, arrays of another shape."""

    code = 64


class BadData(Error, ValueError):
    """An input exists, but its content is wrong."""

    code = 65


class MissingInput(Error, FileNotFoundError):
    """An input does not exist or cannot be read."""

    code = 66


class CannotCreate(Error, OSError):
    """An output cannot be created."""

    code = 73


class InputOutput(Error, OSError):
    """Reading or writing failed half-way."""

    code = 74


class Interrupted(Error, RuntimeError):
    """Stopped on request. Ctrl-C raises KeyboardInterrupt instead, as everywhere in Python."""

    code = 75


class NonFinite(Error, ArithmeticError):
    """NaN or infinity appeared."""

    code = 76
