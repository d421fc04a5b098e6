"""Reference pages of file formats: from JSON Schemas, from the records of traces and from the header for C."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import rust

from schedlab import schemas

TRACE = rust.ROOT / "crates" / "trace" / "src"
HEADER = rust.ROOT / "crates" / "capi" / "include" / "schedlab.h"


#: The bytes of the parts of records, by the names that the tables of records give them.
PARTS = """A part has a kind, which says what its bytes are:

| kind | bytes |
|---|---|
| `CpuId`, `ClusterId`, `TaskId`, `ResourceId`, `u32`, `u64` | a number |
| `Instant`, `Duration`, `Work` | a number: nanoseconds |
| `JobId` | two numbers: the task, and the job within the task |
| `Option<JobId>` | the byte 0 if there is no job; else the byte 1, and a `JobId` |
| `Priority` | a byte (0 boosted, 1 base, 2 background), then a number, the priority point, and the `JobId` of the tie |
| `OverheadKind` | a byte: the place of the kind in the list of overheads |
| `SuspendReason` | the byte 0 (by itself), the byte 1 and a `ResourceId` (waits for it), or the byte 2 (held back) |
| `Thread` | the byte 0 and the number of the task, or the byte 1 and the number of another thread |"""


def write(folder: Path) -> dict[str, dict[str, str]]:
    """Writes the pages; returns what each page is about, by its name."""
    folder.mkdir(parents=True)
    fields = "[The scenario file](../../docs/scenario-file.md) explains the fields with examples."
    overheads = "[The overheads file](../../docs/overheads-file.md) explains them."
    programs = "[Programs in C and Rust](../../docs/programs.md) shows programs that use it."
    pages = {
        "scenario-fields": _schema("scenario", "Fields of a scenario file", fields),
        "overheads-fields": _schema("overheads", "Fields of an overheads file", overheads),
        "trace-format": _trace(),
        "c-header": f"# The header for C\n\n{programs}\n\n```c\n{HEADER.read_text(encoding='utf-8')}```\n",
    }
    for name, text in pages.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return {"": {name: text.partition("\n")[0].removeprefix("# ") for name, text in pages.items()}}


def _schema(kind: str, title: str, about: str) -> str:
    schema = schemas.schema(kind)
    parts = [f"# {title}", f"{about} `schedlab schema {kind}` prints the schema from which this page is made."]
    parts.append(_fields("The file", schema))
    parts += [_fields(name, inner) for name, inner in schema["$defs"].items()]
    return "\n\n".join(parts) + "\n"


def _fields(name: str, schema: dict[str, Any]) -> str:
    """Returns a section about an object or a value of a schema."""
    head = f"## {name.replace('_', ' ')}"
    about = _sentence(schema.get("description", ""))
    variants = [schema, *schema.get("oneOf", []), *schema.get("anyOf", [])]
    fields = {field: inner for one in variants if isinstance(one, dict)
              for field, inner in one.get("properties", {}).items()}  # fmt: skip
    if not fields:
        return f"{head}\n\n{about}\n\nA value: {_kind(schema)}.".replace("\n\n\n\n", "\n\n")
    needed = set(schema.get("required", []))
    rows = []
    for field, inner in fields.items():
        name = f"`{field}` (needed)" if field in needed else f"`{field}`"
        rows.append(f"| {name} | {_kind(inner)} | {_sentence(inner.get('description', ''))} |")
    table = "| field | value | meaning |\n|---|---|---|\n" + "\n".join(rows)
    return "\n\n".join(part for part in (head, about, table) if part)


def _sentence(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("[", "\\[")


def _kind(schema: Any) -> str:
    """Returns in words which values a schema allows."""
    if not isinstance(schema, dict):
        return "any"
    if reference := schema.get("$ref"):
        name = reference.rpartition("/")[2]
        return f"[{name.replace('_', ' ')}](#{name.replace('_', '-')})"
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        shown = ", ".join(f"`{value}`" for value in schema["enum"][:12])
        return shown + (f" and {len(schema['enum']) - 12} more" if len(schema["enum"]) > 12 else "")
    for several in ("oneOf", "anyOf"):
        if several in schema:
            return " or ".join(dict.fromkeys(_kind(one) for one in schema[several]))
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    words = {"object": "table", "string": "text", "integer": "whole number", "number": "number", "boolean": "yes or no"}
    kinds = schema.get("type", "any")
    return " or ".join(words.get(one, one) for one in ([kinds] if isinstance(kinds, str) else kinds))


def _trace() -> str:
    """Returns the page of the trace format: the rules, and each kind of record with its parts."""
    parts = [
        "# The trace format, byte by byte",
        "A trace is the header, then one record after the other. `schedlab trace FILE --format records` prints its "
        "records as lines.",
        "## The header",
        "The file begins with the eight bytes `SCHEDLAB`, then the version of the format as two bytes, the lower one "
        "first. The number of named texts follows. Of each come the name and the text, both as their length in bytes "
        "and so many bytes of UTF-8.",
        rust.title_and_rest(_comment_of((TRACE / "header.rs").read_text(encoding="utf-8"), "pub struct Header"))[1],
        "## Numbers",
        rust.header(TRACE / "varint.rs"),
        "## Records",
        rust.title_and_rest(rust.header(TRACE / "encode.rs"))[1],
    ]
    parts += ["## Parts of records", PARTS]
    for title, file in (("Records of every trace", "record.rs"), ("Records of real runs", "run.rs")):
        rows = "\n".join(_records((TRACE / file).read_text(encoding="utf-8")))
        parts.append(f"## {title}\n\n| number | name | meaning | parts, in their order |\n|---|---|---|---|\n{rows}")
    parts.append("Readers pass over records of kinds that they do not know. A number is never given to another kind.")
    return "\n\n".join(parts) + "\n"


def _comment_of(text: str, item: str) -> str:
    """Returns the comment above an item as Markdown."""
    above = text.split(item)[0].splitlines()
    found: list[str] = []
    for line in reversed([line for line in above if not line.startswith("#[")]):
        if not line.startswith("///"):
            break
        found.insert(0, line[3:].strip())
    return rust.plain("\n".join(found))


def _records(text: str) -> list[str]:
    """Returns a row for each record that a source defines."""
    rows = []
    comment = r"((?:^        ///.*\n)+)"
    pattern = comment + r'^        (\d+) "(\w+)" \w+(?: \{\n((?:^            .*\n)*)^        \})?,'
    for comment, number, name, body in re.findall(pattern, text, re.MULTILINE):
        about = " ".join(line.strip().removeprefix("///").strip() for line in comment.splitlines())
        held = re.findall(r"^            (\w+): ([\w<>]+),", body, re.MULTILINE)
        if unknown := [of for _, of in held if f"`{of}`" not in PARTS]:
            raise ValueError(f"parts of records whose bytes this page does not describe: {unknown}")
        shown = ", ".join(f"`{part}: {of}`" for part, of in held) or "none"
        rows.append((int(number), f"| {number} | `{name}` | {rust.plain(about)} | {shown} |"))
    return [row for _, row in sorted(rows)]
