"""The errors of beatscan, one class for each way in which the program ends. All are beatscan.errors.Error."""


class Error(RuntimeError):
    """What went wrong, in one line that says where and what to do."""


class InternalError(Error):
    """A mistake in beatscan, or too little memory (status 1)."""


class UsageError(Error, ValueError):
    """An argument or an option that does not serve (status 2)."""


class InputError(Error):
    """An input that is missing or is not what it should be (status 3)."""


class UnanalysableError(Error):
    """A recording that is too short, flat, or without beats (status 4)."""


class DeviceError(Error):
    """A GPU that was asked for and is not there, or that failed (status 5)."""


class OutputError(Error):
    """A result that cannot be written (status 6)."""


BY_STATUS = {1: InternalError, 2: UsageError, 3: InputError, 4: UnanalysableError, 5: DeviceError, 6: OutputError}


def raise_for(status, message):
    """Raises the error of an exit status; returns for 0."""
    if status == 130:
        raise KeyboardInterrupt
    if status != 0:
        raise BY_STATUS.get(status, InternalError)(message)
