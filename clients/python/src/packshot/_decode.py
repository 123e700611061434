"""JSON into the generated dataclasses. Fields that are not known are ignored: the API may add some."""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")


def decode(kind: type[T], value: Any) -> T:
    """Raises TypeError where the value does not have the shape of `kind`."""
    return cast(T, _decode(kind, value))


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _decode(kind: Any, value: Any) -> Any:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is list and isinstance(value, list):
        return [_decode(arguments[0], item) for item in value]
    if origin is Union:
        return _decode(next((one for one in arguments if _fits(one, value)), type(None)), value)
    if dataclasses.is_dataclass(kind) and _fits(kind, value):
        make: Any = kind
        known = _hints(make)
        return make(**{name: _decode(known[name], item) for name, item in value.items() if name in known})
    if _fits(kind, value):
        return value
    raise TypeError(f"expected {kind}, got {value!r:.200}")


def _fits(kind: Any, value: Any) -> bool:
    """Whether the value may be of this kind: enough to choose between the members of a union."""
    origin = get_origin(kind)
    if origin is Literal:
        return value in get_args(kind)
    if origin is list or origin is dict:
        return isinstance(value, origin)
    if dataclasses.is_dataclass(kind):
        hints = _hints(cast(Any, kind))
        return isinstance(value, dict) and all(
            _fits(hints[field.name], value[field.name]) if field.name in value else _is_optional(field)
            for field in dataclasses.fields(kind)
        )
    if origin is Union:
        return any(_fits(one, value) for one in get_args(kind))
    if kind is float:
        return isinstance(value, (int, float))
    return kind is Any or isinstance(value, kind)


def _is_optional(field: dataclasses.Field[Any]) -> bool:
    return field.default is not dataclasses.MISSING
