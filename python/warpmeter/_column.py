"""A column of Flows."""

from collections.abc import Iterator
from typing import Any, overload

from ._extension import KeptRows

_NUMPY_TYPES = {
    "double": "float64",
    "timestamp[ns, tz=UTC]": "datetime64[ns]",
    "timestamp[us, tz=UTC]": "datetime64[us]",
    "duration[ns]": "timedelta64[ns]",
    "duration[us]": "timedelta64[us]",
}


class Column:
    """One column of Flows: a sequence of its values, None where there is none. Times are whole numbers since 1970 UTC.

    polars.Series(column), pyarrow.chunked_array(column) and numpy.asarray(column) take it as a whole; the first two
    copy nothing. Of numpy, times are datetime64, durations timedelta64, and a missing value is NaN or NaT.

    name: as in Flows.columns.
    type: as pyarrow spells it, "int64".
    """

    def __init__(self, name: str, type: str, rows: KeptRows, place: int) -> None:
        self.name = name
        self.type = type
        self._rows = rows
        self._place = place

    def to_list(self) -> list[Any]:
        return self._rows.values(self._place)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.to_list())

    @overload
    def __getitem__(self, key: int) -> Any: ...
    @overload
    def __getitem__(self, key: slice) -> list[Any]: ...
    def __getitem__(self, key: int | slice) -> Any:
        return self.to_list()[key]

    def __arrow_c_schema__(self) -> object:
        return self._rows.column(self._place).schema()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._rows.column(self._place).stream()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        import numpy  # whoever calls this has it

        if copy is False:
            raise ValueError("a column of Flows has to be copied to become an array of numpy")
        values, kind = self.to_list(), _NUMPY_TYPES.get(self.type, self.type if "int" in self.type else "object")
        if kind.endswith("]"):  # of times, and lengths of time
            of, unit = kind[:-1].split("[")
            of_unit = getattr(numpy, of)
            values = [of_unit("NaT" if v is None else v, unit) for v in values]
        elif kind != "object" and None in values:
            kind = "float64"
        return numpy.array(values, dtype=dtype or kind)

    def __repr__(self) -> str:
        first = ", ".join(map(repr, self._rows.slice(0, 5).values(self._place)))
        return f"<warpmeter.Column {self.name}: {self.type}, {len(self)} values: {first}{', ...' * (len(self) > 5)}>"
