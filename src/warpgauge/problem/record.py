"""The base of every file model, and the way from a parsed TOML file to a checked model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from warpgauge.diagnostics import Diagnostic, WarpgaugeError

from .place import Place, complaint, dotted, near
from .toml_file import TomlFile

NAME_PATTERN = r"^[A-Za-z_][A-Za-z0-9_]*$"
Name = Annotated[str, Field(pattern=NAME_PATTERN, max_length=200)]


def _integer_or_text(value: Any) -> Any:
    # One validator instead of a union, so that a wrong value gives one complaint and not one per member.
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise PydanticCustomError("expression", "an integer or an expression in quotes is needed")
    if isinstance(value, str) and not value.strip():
        raise PydanticCustomError("expression", "an empty expression")
    return value


Expression = Annotated[int | str, BeforeValidator(_integer_or_text)]
"""An integer, or the text of one for `expr.evaluate`."""


class Record(BaseModel):
    """A table of a file: frozen, and an unknown key is an error that names its nearest neighbours."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=False, populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys_only(cls, data: Any) -> Any:
        if isinstance(data, Mapping):
            known = {field.alias or name for name, field in cls.model_fields.items()} | set(cls.model_fields)
            shown = {field.alias or name for name, field in cls.model_fields.items()}
            unknown = [str(key) for key in data if key not in known]
            if unknown:
                hints = [near(key, shown) for key in unknown]
                raise PydanticCustomError("unknown_keys", "unknown key", {"keys": unknown, "hints": hints})
        return data


Model = TypeVar("Model", bound=BaseModel)

_WORDS = {
    "missing": "this key is required",
    "model_type": "a table is needed",
    "dict_type": "a table is needed",
    "tuple_type": "an array is needed",
    "list_type": "an array is needed",
    "int_type": "an integer is needed",
    "int_from_float": "an integer is needed",
    "int_parsing": "an integer is needed",
    "float_type": "a number is needed",
    "float_parsing": "a number is needed",
    "bool_type": "true or false is needed",
    "bool_parsing": "true or false is needed",
    "string_type": "a string is needed",
    "too_short": "at least one entry is needed",
    "too_long": "too many entries",
}


def _message(error: Mapping[str, Any]) -> str:
    """One pydantic error in the words of a TOML user."""
    if error["type"] == "literal_error":
        expected = [word.strip("' ") for word in error["ctx"]["expected"].replace(" or ", ", ").split(",")]
        choices = ", ".join(f'"{word}"' for word in expected)
        hint = near(str(error["input"]), expected)
        given = error["input"]
        hint = f" ({hint})" if hint.startswith("did") else ""
        return f"{given!r} is not one of {choices}{hint}"
    if error["type"] == "string_pattern_mismatch":
        return f"{error['input']!r} does not have the form {error['ctx']['pattern']}"
    return _WORDS.get(error["type"], error["msg"][:1].lower() + error["msg"][1:].removeprefix("alue error, "))


def complaints(error: ValidationError, file: TomlFile | None) -> tuple[Diagnostic, ...]:
    """PRB901 diagnostics for a failed validation, one per mistake, each at the line of its key."""
    found: list[Diagnostic] = []
    for item in error.errors(include_url=False):
        # pydantic adds "[key]" after a dictionary key that is itself malformed; no file holds such a key.
        key = tuple(part for part in item["loc"] if part != "[key]")
        context = item.get("ctx", {})
        if item["type"] == "unknown_keys":
            for name, hint in zip(context["keys"], context["hints"], strict=True):
                where = file.place(*key, name) if file else Place(dotted((*key, name)))
                found.append(complaint("PRB901", f'unknown key "{name}"', where, help=hint))
            continue
        # A model-wide check may name the key it is about, relative to the model.
        key = (*key, *context.get("key", ()))
        where = file.place(*file.known(key)) if file else Place(dotted(key))
        found.append(complaint("PRB901", _message(item), where, help=context.get("help", "")))
    return tuple(found)


def wrong(message: str, *key: str | int, help: str = "") -> PydanticCustomError:
    """The error that a model-wide validator raises: `key` is relative to the model."""
    return PydanticCustomError("wrong", "{message}", {"message": message, "key": key, "help": help})


def checked(model: type[Model], data: Mapping[str, Any], file: TomlFile | None = None) -> Model:
    """`data` as a `model`; WarpgaugeError with a PRB901 diagnostic per mistake, and the text of the file."""
    sources = file.sources if file else {}
    try:
        return model.model_validate(data, context={"file": file})
    except ValidationError as error:
        raise WarpgaugeError(*complaints(error, file)).showing(sources) from None
    except WarpgaugeError as error:
        raise error.showing(sources) from None
