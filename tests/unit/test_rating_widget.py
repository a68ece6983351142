"""The rating widget without a browser: values are set, buttons are clicked, and the sheet says what happened."""

import json
import re
import subprocess
import sys

import pytest

from lib.errors import ParameterError, RatingError
from lib.metrics.rating_sheets import make_sheets, read_key, read_ratings, read_sheet
from lib.metrics.ratings import LEVELS, RUBRIC, SCALES, Item
from lib.paths import ROOT
from lib.rating_widget import Session, first_lines, open_widget, rubric_table

ITEMS = tuple(
    Item(n, None, f"dev-{n}", f"SELECT a FROM t WHERE a < {n}", 3, f"which <b>a</b> is under {n}?", ("model",))
    for n in range(1, 6)
)


@pytest.fixture
def folder(tmp_path):
    make_sheets(tmp_path, ITEMS, 2, 1)
    return tmp_path


def session(folder):
    return Session(folder / "rater-1.csv", read_key(folder))


def click(widget, name):
    widget.buttons[name].click()


def test_every_value_is_in_the_sheet_at_once(folder):
    widget = open_widget(folder, "rater-1")
    number = widget.session.item.number
    widget.choices["fluency"].value = 4
    assert [(r.item, r.fluency, r.adequacy) for r in read_ratings(folder).ratings] == [(number, 4, None)]
    widget.choices["adequacy"].value = 2
    widget.remark.value = "two; readings"
    said = read_ratings(folder).ratings
    assert [(r.rater, r.item, r.fluency, r.adequacy, r.remark) for r in said] == [
        ("rater-1", number, 4, 2, "two; readings")
    ]
    assert [path.name for path in folder.iterdir() if path.name.endswith(".part")] == []


def test_a_value_can_be_changed_and_the_other_texts_stay(folder):
    widget = open_widget(folder, "rater-1")
    for value in (1, 5, 3):
        widget.choices["fluency"].value = value
    assert [r.fluency for r in read_ratings(folder).ratings] == [3]
    order = [r.item for r in read_sheet(folder / "rater-1.csv", ITEMS)]
    assert order == [r.item for r in session(folder)._ratings]


def test_buttons_lead_through_the_sheet(folder):
    widget = open_widget(folder, "rater-1")
    order = [r.item for r in read_sheet(folder / "rater-1.csv", ITEMS)]
    click(widget, "Back")
    assert widget.session.item.number == order[0]
    click(widget, "Next")
    assert widget.session.item.number == order[1]
    widget.choices["fluency"].value, widget.choices["adequacy"].value = 5, 5
    click(widget, "Next")
    assert (widget.choices["fluency"].value, widget.choices["adequacy"].value) == (None, None)
    click(widget, "Back")
    assert (widget.choices["fluency"].value, widget.choices["adequacy"].value) == (5, 5)
    click(widget, "Back")
    click(widget, "Next without rating")
    assert widget.session.item.number == order[2]
    for _ in range(10):
        click(widget, "Next")
    assert widget.session.item.number == order[-1]
    assert len(read_ratings(folder).ratings) == 1, "to look at a text is not to rate it"


def test_it_goes_on_where_one_stopped(folder):
    widget = open_widget(folder, "rater-1")
    for value in (2, 3):
        widget.choices["fluency"].value, widget.choices["adequacy"].value = value, value
        click(widget, "Next")
    again = open_widget(folder, "rater-1")
    assert (again.session.place, again.session.done) == (2, 2)
    assert "Text 3 of 5" in again.words.value
    assert "2 have both ratings" in again.words.value


def test_the_end_is_said(folder):
    widget = open_widget(folder, "rater-1")
    for _ in ITEMS:
        widget.choices["fluency"].value, widget.choices["adequacy"].value = 3, 4
        click(widget, "Next without rating")
    assert "All texts are rated" in widget.words.value
    place = widget.session.place
    click(widget, "Next without rating")
    assert widget.session.place == place
    assert open_widget(folder, "rater-1").session.place == 0


def test_raters_do_not_touch_each_other(folder):
    before = (folder / "rater-2.csv").read_bytes()
    open_widget(folder, "rater-1").choices["fluency"].value = 4
    assert (folder / "rater-2.csv").read_bytes() == before


def test_what_a_system_wrote_is_shown_and_not_obeyed(folder):
    widget = open_widget(folder, "rater-1")
    assert "&lt;b&gt;a&lt;/b&gt;" in widget.words.value
    assert "WHERE a &lt; " in widget.words.value
    assert "model" not in widget.words.value


def test_the_rubric_is_beside_the_buttons(folder):
    widget = open_widget(folder, "rater-1")
    page = widget.box.children[-1].value
    assert all(anchor in page for anchors in RUBRIC.values() for anchor in anchors.values())
    for scale in SCALES:
        assert [value for _, value in widget.choices[scale].options] == list(LEVELS)


def test_a_sheet_that_another_program_changed_is_not_overwritten(folder):
    widget = open_widget(folder, "rater-1")
    changed = (folder / "rater-1.csv").read_text().replace(",,,", ",5,5,")
    (folder / "rater-1.csv").write_text(changed)
    widget.choices["fluency"].value = 1
    assert "another program has changed" in widget.message.value
    assert widget.choices["fluency"].value is None, "the buttons show what is in the sheet as it was read"
    assert (folder / "rater-1.csv").read_text() == changed


def test_a_sheet_that_is_gone(folder):
    at_work = session(folder)
    (folder / "rater-1.csv").unlink()
    with pytest.raises(RatingError, match=r"cannot write 'rater-1\.csv'"):
        at_work.say(fluency=3)
    assert at_work.rating.fluency is None


def test_a_sheet_from_a_spreadsheet_goes_on_in_the_widget(folder):
    order = [r.item for r in read_sheet(folder / "rater-2.csv", ITEMS)]
    by_number = {item.number: item for item in ITEMS}
    lines = ["item;sql;text;fluency;adequacy;remark", *(f"{n};;{by_number[n].text};;;" for n in order)]
    lines[1] = lines[1][:-3] + ";4,0;5,0;"
    (folder / "rater-1.csv").write_text("\ufeff" + "\r\n".join(lines))
    widget = open_widget(folder, "rater-1")
    assert widget.session.place == 1
    widget.choices["adequacy"].value = 1
    assert [(r.item, r.fluency, r.adequacy) for r in read_ratings(folder).ratings] == [
        (order[0], 4, 5), (order[1], None, 1)]  # fmt: skip


def test_no_such_rater(folder):
    with pytest.raises(ParameterError, match="no sheet of 'rater1': did you mean 'rater-1'"):
        open_widget(folder, "rater1")
    with pytest.raises(ParameterError, match="no sheet of 'anna'"):
        first_lines(folder, "anna", 3)


def test_first_lines_are_those_of_the_sheet(folder):
    open_widget(folder, "rater-1").choices["adequacy"].value = 4
    table = first_lines(folder, "rater-1", 3)
    assert table["item"].tolist() == [r.item for r in read_sheet(folder / "rater-1.csv", ITEMS)][:3]
    assert table["adequacy"].isna().tolist() == [False, True, True]
    assert table.columns.tolist() == ["item", "SQL", "text", "fluency", "adequacy", "remark"]


def test_rubric_as_a_table():
    table = rubric_table()
    assert table["rating"].tolist() == [5, 4, 3, 2, 1]
    assert table["adequacy"].tolist()[0] == RUBRIC["adequacy"][5]


def test_ipywidgets_is_loaded_only_where_a_widget_is_shown():
    code = "import sys, lib.rating_widget; print('ipywidgets' in sys.modules, 'pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.split() == ["False", "False"]


@pytest.mark.slow
def test_in_a_kernel_a_front_end_can_click(folder):
    """What a browser sends: a message to the model of a toggle button; the sheet must know it at once."""
    from jupyter_client.manager import start_new_kernel

    manager, client = start_new_kernel(kernel_name="python3", cwd=str(ROOT))
    try:
        code = f"from lib.rating_widget import open_widget\nw = open_widget({str(folder)!r}, 'rater-1')\nw.box"
        shown = run(client, code)
        assert any("application/vnd.jupyter.widget-view+json" in message for message in shown)
        answer = run(client, "print(w.choices['fluency'].model_id, w.session.item.number)")
        model, number = re.search(r"([0-9a-f]{32}) (\d+)", " ".join(map(json.dumps, answer))).groups()
        # The front end counts the button from the left; the value follows in the kernel.
        data = {"method": "update", "state": {"index": 3}, "buffer_paths": []}
        client.shell_channel.send(client.session.msg("comm_msg", {"comm_id": model, "data": data}))
        run(client, "pass")
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    assert [(r.item, r.fluency) for r in read_ratings(folder).ratings] == [(int(number), 4)]


def run(client, code):
    """Runs code and gives what it shows: data by kind, or text of a stream."""
    shown = []

    def keep(message):
        assert message["msg_type"] != "error", message["content"]["traceback"]
        content = message["content"]
        shown.append(content.get("data") or {"text/plain": content.get("text", "")})

    client.execute_interactive(code, output_hook=keep, timeout=120)
    return shown
