"""Parquet with provenance in the file's metadata; the same table gives the same bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from schedlab.base.files import write_whole

_KEY = b"schedlab"


def table_to_bytes(table: pa.Table) -> bytes:
    """Encodes a table. Compression and version are pinned, so that bytes can be compared."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", version="2.6", row_group_size=1 << 20)
    encoded: bytes = sink.getvalue().to_pybytes()
    return encoded


def bytes_to_table(content: bytes) -> pa.Table:
    """Decodes a table that ``table_to_bytes`` encoded."""
    # Parts are small: threads would cost more than they save.
    return pq.ParquetFile(pa.BufferReader(content)).read(use_threads=False)


def bytes_to_metadata(content: bytes) -> dict[bytes, bytes]:
    """Returns the metadata of an encoded table, without decoding its rows."""
    return pq.ParquetFile(pa.BufferReader(content)).schema_arrow.metadata or {}


def write_table(path: Path, table: pa.Table, provenance: dict[str, Any]) -> None:
    """Writes a table with its provenance, whole or not at all."""
    text = json.dumps(provenance, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, table_to_bytes(table.replace_schema_metadata({_KEY: text.encode()})), durable=True)


def read_provenance(path: Path) -> dict[str, Any]:
    """Returns a table's provenance, read from the end of the file alone."""
    return _provenance(pq.read_schema(path))


def read_table(path: Path) -> tuple[pa.Table, dict[str, Any]]:
    """Returns a table and its provenance."""
    # One file, not a dataset: a directory named "a=b" above it must not become a column.
    table = pq.ParquetFile(path).read()
    return table, _provenance(table.schema)


def _provenance(schema: pa.Schema) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((schema.metadata or {}).get(_KEY, b"{}"))
    return told
