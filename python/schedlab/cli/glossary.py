"""`schedlab glossary`: what a word means here, from the one glossary."""

from __future__ import annotations

import click

from schedlab.base.glossary import entries, explained
from schedlab.cli.shared.files import Command
from schedlab.cli.shared.options import json_option, print_answer
from schedlab.cli.shared.screen import Styled, say


@click.command("glossary", cls=Command)
@click.argument("words", nargs=-1, metavar="[WORD]...")
@json_option
def command(words: tuple[str, ...], as_json: bool) -> None:
    """Say what a word means here: a column of a table, a term of the field, a name.

    `schedlab glossary max/bound` explains a column, `schedlab glossary critical section` a term. Without WORD, all
    words are listed.
    """
    found = explained(" ".join(words)) if words else list(entries())
    if as_json:
        told = [
            {"section": one.section, "words": list(one.words), "names": list(one.names), "text": one.text}
            for one in found
        ]
        print_answer("glossary", entries=told)
        return
    for section in dict.fromkeys(entry.section for entry in found):
        say(Styled(section, "bold"))
        here = [entry for entry in found if entry.section == section]
        if words:
            for entry in here:
                say(f"  {entry.text}", indent="  ")
        else:
            say(f"  {', '.join(word for entry in here for word in entry.words)}", indent="  ")
