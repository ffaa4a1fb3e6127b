"""Results as Parquet, where pyarrow is installed."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from runner.base import Declared, atomic_write, file_error, files_below, open_regular, optional_module
from runner.records import RecordBound, RecordFile, RunFolder, csv_line, read

_DECLARED = b"search-runner"
"""Key of the metadata with the declarations of metrics and statuses."""
_FOLDER = "folder"
_MAX_COLUMNS = 1_000
_ROWS_OF_PART, _BYTES_OF_PART = 1_000, 1 << 26
"""Number of rows that are read at a time, and maximum size of their texts."""


def pyarrow() -> Any:
    """Return pyarrow; raise `UserError` if it is not installed."""
    for module in ("compute", "csv", "parquet"):
        optional_module(f"pyarrow.{module}", "Parquet", "parquet")
    return optional_module("pyarrow", "Parquet", "parquet")


def writer() -> Callable[[Path, Path], None]:
    """Return `write`, after importing pyarrow: without it nothing is written, and nothing else is done before."""
    pyarrow()
    return write


def write(folder: Path, out: Path) -> None:
    """Write the rows below a folder, with their declared metrics and statuses. Missing values are null."""
    pa = pyarrow()
    rows = read(folder)
    if _FOLDER in rows:  # there are several runs
        rows[_FOLDER] = rows[_FOLDER].str.removeprefix(f"{folder}/")
    declared = Declared()
    for file in files_below(folder, RecordFile.DECLARED):
        declared |= RunFolder(file.parent).declared()
    try:
        table = pa.Table.from_pandas(rows, preserve_index=False)
        table = table.replace_schema_metadata({**table.schema.metadata, _DECLARED: msgspec.json.encode(declared)})
        with atomic_write(out, "wb") as target:
            pa.parquet.write_table(table, target)
    except pa.ArrowException as error:
        raise file_error(out, f"cannot be written ({' '.join(str(error).split())})") from None


def unpack(file: Path, folder: Path, _: Callable[[str], bool]) -> None:
    """Write a table of Parquet as CSV, with the declarations in it or beside it. The readers of CSV do the rest.

    Raises
    ------
    UserError
        If pyarrow is missing, or the file is corrupt, too large, or has values other than numbers and texts.
    """
    pa = pyarrow()
    try:
        with open_regular(file, RecordBound.TABLE) as source, open(folder / RecordFile.RESULTS, "wb") as out:
            table = pa.parquet.ParquetFile(source)
            schema, size = table.schema_arrow, table.metadata
            parts = (size.row_group(group).total_byte_size for group in range(size.num_row_groups))
            if len(schema) > _MAX_COLUMNS or sum(parts) > RecordBound.TABLE:
                raise ValueError(f"more than {_MAX_COLUMNS:,} columns or {RecordBound.TABLE // 2**30} GiB")
            out.write(csv_line(schema.names))
            texts = [each.name for each in schema if each.type in (pa.string(), pa.large_string())]
            table = pa.parquet.ParquetFile(source, read_dictionary=texts)  # repeated texts take no memory
            for batch in table.iter_batches(_ROWS_OF_PART):
                out.write(_lines(_plain(batch, pa), pa))
                if out.tell() > RecordBound.TABLE:
                    raise ValueError(f"more than {RecordBound.TABLE // 2**30} GiB as text")
        declared = (schema.metadata or {}).get(_DECLARED)
        if declared is not None:
            (folder / RecordFile.DECLARED).write_bytes(declared)
        elif (file.parent / RecordFile.DECLARED).is_file():
            shutil.copyfile(file.parent / RecordFile.DECLARED, folder / RecordFile.DECLARED)
    except (pa.ArrowException, ValueError, LookupError, TypeError) as error:
        raise file_error(file, f"not a table of results ({' '.join(str(error).split())})") from None
    except OSError as error:
        raise file_error(file, f"cannot be unpacked ({error.strerror or error})") from None


def _plain(batch: Any, pa: Any) -> Any:
    """Return rows whose values are written as in CSV files of results."""
    columns, bytes_of_texts = [], 0
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        kind = column.type
        if pa.types.is_dictionary(kind):
            lengths = pa.compute.binary_length(column.dictionary).take(column.indices)
            bytes_of_texts += pa.compute.sum(lengths).as_py() or 0
            if bytes_of_texts > _BYTES_OF_PART:
                raise ValueError(f"texts of more than {_BYTES_OF_PART // 2**20} MiB in {_ROWS_OF_PART:,} rows")
            column = column.dictionary_decode()
        elif pa.types.is_boolean(kind):
            column = pa.compute.if_else(column, "True", "False")
        elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_null(kind)):
            raise ValueError(f"column {name}: {kind} is neither a number nor a text")
        columns.append(column)
    return pa.record_batch(columns, names=batch.schema.names)


def _lines(batch: Any, pa: Any) -> bytes:
    """Return rows as lines of a CSV file; with quotes only if a text needs them, because reports read others faster."""
    for style in ("none", "needed"):
        out = io.BytesIO()
        with suppress(pa.ArrowInvalid):
            pa.csv.write_csv(batch, out, pa.csv.WriteOptions(include_header=False, quoting_style=style))
            return out.getvalue()
    raise ValueError("cannot be written as text")
