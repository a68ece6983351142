"""Rating in a notebook: one text at a time, written into the rater's sheet at every click.

The sheet is the same CSV that can be filled in a spreadsheet, so that one can go on in either. It holds all that there
is: closing the notebook loses nothing, opening it again goes on at the first text that is not rated yet.
"""

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from lib.errors import ParameterError, RatingError, suggest
from lib.metrics.rating_sheets import read_key, read_sheet, sheets_in, write_sheet
from lib.metrics.ratings import LEVELS, QUESTIONS, RUBRIC, SCALES, Item, Rating

if TYPE_CHECKING:
    from pandas import DataFrame


class Session:
    """One rater at work on one sheet; knows no buttons."""

    def __init__(self, sheet: Path, items: Sequence[Item]):
        """Opens a sheet at the first text that is not rated yet.

        Raises:
            RatingError: if the sheet cannot be read or does not fit the items.
        """
        self._sheet, self._all = Path(sheet), tuple(items)
        self._by_number = {item.number: item for item in items}
        self._ratings = read_sheet(self._sheet, items)
        self._content = self._sheet.read_bytes()
        self.place = 0  # index of the text that is shown
        self.to_next_open(from_start=True)

    def __len__(self) -> int:
        return len(self._ratings)

    @property
    def item(self) -> Item:
        """What is to be rated now."""
        return self._by_number[self.rating.item]

    @property
    def rating(self) -> Rating:
        """What has been said of it."""
        return self._ratings[self.place]

    @property
    def done(self) -> int:
        """How many texts have both ratings."""
        return sum(map(_is_complete, self._ratings))

    def move(self, step: int) -> None:
        """Goes some texts on, or back, but not beyond the ends."""
        self.place = min(max(self.place + step, 0), len(self) - 1)

    def to_next_open(self, from_start: bool = False) -> None:
        """Goes to the next text without both ratings, from the end on to the beginning; stays if there is none."""
        start = 0 if from_start else self.place + 1
        for place in [*range(start, len(self)), *range(start)]:
            if not _is_complete(self._ratings[place]):
                self.place = place
                return

    def say(self, **changes: int | str | None) -> None:
        """Writes fluency, adequacy or remark of the present text into the sheet.

        Raises:
            RatingError: if another program has changed the sheet meanwhile, or it cannot be written.
        """
        changed = replace(self.rating, **changes)
        if changed == self.rating:
            return
        ratings = [*self._ratings[: self.place], changed, *self._ratings[self.place + 1 :]]
        try:
            if self._sheet.read_bytes() != self._content:
                raise RatingError(f"another program has changed '{self._sheet.name}': run this cell again to go on")
            write_sheet(self._sheet, self._all, ratings)
            self._content = self._sheet.read_bytes()
        except OSError as error:
            raise RatingError(f"cannot write '{self._sheet.name}': {error.strerror}; nothing is lost so far") from error
        self._ratings = ratings


def _is_complete(rating: Rating) -> bool:
    return None not in (rating.fluency, rating.adequacy)


class RatingWidget:
    """The buttons and words around a session; `box` is what a notebook shows."""

    def __init__(self, session: Session):
        import ipywidgets

        self.session, self._filling = session, False
        self.words, self.message = ipywidgets.HTML(), ipywidgets.HTML()
        self.choices = {scale: self._choice(scale) for scale in SCALES}
        self.remark = ipywidgets.Text(
            placeholder="remark (optional)", layout={"width": "100%"}, continuous_update=False
        )
        self.remark.observe(self._changed("remark"), "value")
        steps = {
            "Back": lambda: session.move(-1),
            "Next": lambda: session.move(1),
            "Next without rating": session.to_next_open,
        }
        self.buttons = {name: self._button(name, step) for name, step in steps.items()}
        rubric = ipywidgets.HTML(_rubric_html())
        row = ipywidgets.HBox(list(self.buttons.values()))
        self.box = ipywidgets.VBox([self.words, *self.choices.values(), self.remark, row, self.message, rubric])
        self._fill()

    def _choice(self, scale: str):
        import ipywidgets

        choice = ipywidgets.ToggleButtons(
            options=[(str(level), level) for level in LEVELS], value=None, description=scale,
            tooltips=[RUBRIC[scale][level] for level in LEVELS], style={"button_width": "3em"},
        )  # fmt: skip
        choice.observe(self._changed(scale), "value")
        return choice

    def _button(self, name: str, step):
        import ipywidgets

        def clicked(_button) -> None:
            step()
            self._fill()

        button = ipywidgets.Button(description=name, layout={"width": "auto"})
        button.on_click(clicked)
        return button

    def _changed(self, name: str):
        def changed(change) -> None:
            if self._filling:
                return
            try:
                self.session.say(**{name: change["new"]})
            except RatingError as error:
                self._fill(str(error))  # the buttons show again what is in the sheet
            else:
                self._fill()

        return changed

    def _fill(self, message: str = "") -> None:
        """Shows the present text with its ratings."""
        session, self._filling = self.session, True
        try:
            self.words.value = _item_html(session)
            for scale, choice in self.choices.items():
                choice.value = getattr(session.rating, scale)
            self.remark.value = session.rating.remark
            self.message.value = f"<b>{escape(message)}</b>" if message else ""
        finally:
            self._filling = False


def _item_html(session: Session) -> str:
    done = "All texts are rated, thank you." if session.done == len(session) else f"{session.done} have both ratings."
    text = escape(session.item.text) or "<i>(an empty text)</i>"
    return (
        f"<p>Text {session.place + 1} of {len(session)} (item {session.item.number}). {done}</p>"
        f"<pre style='white-space: pre-wrap'>{escape(session.item.sql)}</pre><p style='font-size: 120%'>{text}</p>"
    )


def _rubric_html() -> str:
    parts = []
    for scale in SCALES:
        lines = "".join(f"<li value={level}>{escape(RUBRIC[scale][level])}</li>" for level in reversed(LEVELS))
        parts.append(f"<b>{scale}</b>: {escape(QUESTIONS[scale])}<ol reversed>{lines}</ol>")
    return f"<details open><summary>What the numbers mean</summary>{''.join(parts)}</details>"


def open_widget(folder: Path, rater: str) -> RatingWidget:
    """The widget for one rater's sheet; `open_widget(...).box` as the last line of a cell shows it.

    Args:
        folder: with the sheets.
        rater: name of the sheet without `.csv`.

    Raises:
        ParameterError: if there is no such sheet.
        RatingError: if the key or the sheet is missing or broken.
    """
    return RatingWidget(Session(_sheet_of(folder, rater), read_key(folder)))


def _sheet_of(folder: Path, rater: str) -> Path:
    sheets = {path.stem: path for path in sheets_in(folder)}
    if rater not in sheets:
        raise ParameterError(f"no sheet of '{rater}': {suggest(rater, sheets)}")
    return sheets[rater]


def rubric_table() -> "DataFrame":
    """The anchors of both scales, highest first.

    Returns:
        Columns rating, fluency, adequacy.
    """
    import pandas

    rows = [(level, *(RUBRIC[scale][level] for scale in SCALES)) for level in reversed(LEVELS)]
    return pandas.DataFrame(rows, columns=["rating", *SCALES])


def first_lines(folder: Path, rater: str, count: int) -> "DataFrame":
    """The first lines of a rater's sheet as a spreadsheet shows them.

    Args:
        folder: with the sheets.
        rater: name of the sheet without `.csv`.
        count: of lines.

    Raises:
        ParameterError: if there is no such sheet.
        RatingError: if the key or the sheet is missing or broken.
    """
    import pandas

    items = {item.number: item for item in read_key(folder)}
    rows = []
    for rating in read_sheet(_sheet_of(folder, rater), tuple(items.values()))[:count]:
        item = items[rating.item]
        rows.append((item.number, item.sql, item.text, rating.fluency, rating.adequacy, rating.remark))
    frame = pandas.DataFrame(rows, columns=["item", "SQL", "text", *SCALES, "remark"])
    return frame.astype(dict.fromkeys(SCALES, "Int64"))
