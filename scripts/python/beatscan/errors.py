"""The errors of beatscan, one class for each exit status. All are subclasses of beatscan.errors.Error."""
import importlib
import re


class Error(RuntimeError):
    """The error in one line: what, where and a remedy."""


class InternalError(Error):
    """A mistake in beatscan, or too little memory (status 1)."""


class UsageError(Error, ValueError):
    """An invalid argument or option (status 2)."""


class InputError(Error):
    """A missing or invalid input (status 3)."""


class UnanalysableError(Error):
    """A recording that is too short, flat, or without beats (status 4)."""


class DeviceError(Error):
    """A requested GPU that is missing, or a GPU that failed (status 5)."""


class OutputError(Error):
    """A result that cannot be written (status 6)."""


def needed(module, what_needs, version=""):
    """Imports a package that is not a dependency of this one; raises UsageError if it is missing. `what_needs` begins its
    message: "tables need"."""
    package = module.split(".")[0]
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise UsageError(f"{what_needs} {package}: pip install '{package}{version}'") from error


# Command-line terms in messages, and the corresponding ones of analyse().
WORDS = ((r"^--(rate|device|lead): ", ""), (r"^(device: )?ingest\.sample_rate_hz: ", "rate_hz: "),
         (r"--rate HZ \(or ingest.sample_rate_hz in the configuration\)", "rate_hz"), (r"--rate HZ", "rate_hz=HZ"),
         (r"--lead (\d+)", r"leads=\1"), (r"--lead NAME", "leads='NAME'"), (r"--device (\w+)", r"device='\1'"),
         (r" --resume to keep what is complete,", ""),
         (r"--force\b", "force=True"), (r"--out\b", "out"),
         (r"\btemplates\.csv\)", "result.templates)"), (r"\(quality\.csv\)", "(quality.csv in result.folder)"))


def in_words_of_python(message):
    """Returns a message of the program with arguments of analyse() in place of command-line options."""
    for option, argument in WORDS:
        message = re.sub(option, argument, message)
    message = re.sub(r"--set (?:'(\w+)\.(\w+)=([^']*)'|(\w+)\.(\w+)=([^\s;)]*))", _argument, message)
    if not message.startswith("--set: "):
        return message
    return re.sub(r"(?<![\w.])([a-z]+)\.([a-z]\w*)", r"\1_\2", message[len("--set: "):])


def _argument(setting):
    """Returns the argument for a setting: ingest_on_bad='nan' for --set ingest.on_bad=nan."""
    section, key, value = [group for group in setting.groups() if group is not None]
    name = "leads" if (section, key) in (("ingest", "column"), ("ingest", "leads")) else f"{section}_{key}"
    values = [int(part) if part.isdigit() else part for part in value.split(",")] if value != "," else [value]
    return f"{name}={(values if len(values) > 1 else values[0])!r}"


BY_STATUS = {1: InternalError, 2: UsageError, 3: InputError, 4: UnanalysableError, 5: DeviceError, 6: OutputError}


def raise_for(status, message):
    """Raises the error for an exit status; returns for 0."""
    if status == 130:
        raise KeyboardInterrupt
    if status != 0:
        raise BY_STATUS.get(status, InternalError)(in_words_of_python(message))
