"""Storage: Parquet files that are written whole or not at all, with their provenance inside."""

from schedlab.store.folder import Folder
from schedlab.store.locks import StoreBusy, exclusive, is_held, sharing
from schedlab.store.parquet import bytes_to_table, read_provenance, read_table, table_to_bytes, write_table
from schedlab.store.parts import Part, PartStore, Place, make_parts
from schedlab.store.rows import ENDINGS, expect_ending, json_line, writing_rows

__all__ = [
    "ENDINGS",
    "Folder",
    "Part",
    "PartStore",
    "Place",
    "StoreBusy",
    "bytes_to_table",
    "exclusive",
    "expect_ending",
    "is_held",
    "json_line",
    "make_parts",
    "read_provenance",
    "read_table",
    "sharing",
    "table_to_bytes",
    "write_table",
    "writing_rows",
]
