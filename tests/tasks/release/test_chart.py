"""The chart shows the counts that the card states, to scale."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

from claimrag.tasks.release import make_release
from claimrag.tasks.release.chart import category_chart
from claimrag.tasks.release.figures import LanguageFigures


def elements(chart, tag):
    return [element for element in ET.fromstring(chart).iter() if element.tag.endswith(tag)]


def figures(**counts):
    return [LanguageFigures(language, categories=categories) for language, categories in counts.items()]


def test_a_bar_per_category_and_language_is_to_scale_from_zero():
    chart = category_chart(figures(en={"a_b": 8, "c": 0}, fr={"a_b": 4, "c": 2}))
    _, _, _, *bars = elements(chart, "}rect")
    assert [float(bar.get("width")) for bar in bars] == [470.0, 235.0, 0.0, 117.5]
    assert len({bar.get("x") for bar in bars}) == 1
    tops = [float(bar.get("y")) for bar in bars]
    heights = [float(bar.get("height")) for bar in bars]
    assert all(top + height < below for top, height, below in zip(tops, heights, tops[1:], strict=False))
    assert tops[2] - tops[1] > tops[1] - tops[0]
    frame = ET.fromstring(chart).get("viewBox").split()
    assert tops[-1] + heights[-1] < float(frame[3])


def test_each_bar_has_its_count_behind_it_and_the_colour_of_its_language():
    chart = category_chart(figures(en={"a_b": 8, "c": 1}, fr={"a_b": 4, "c": 2}))
    background, english, french, *bars = elements(chart, "}rect")
    colours = [english.get("fill"), french.get("fill")]
    assert background.get("fill") not in colours
    assert [bar.get("fill") for bar in bars] == colours * 2
    texts = elements(chart, "}text")
    assert [text.text for text in texts] == ["en", "fr", "a b", "8", "4", "c", "1", "2"]
    counts = [text for text in texts if text.text.isdigit()]
    for bar, count in zip(bars, counts, strict=True):
        assert float(count.get("x")) > float(bar.get("x")) + float(bar.get("width"))
        assert float(bar.get("y")) < float(count.get("y")) < float(bar.get("y")) + 18
    assert elements(chart, "}title")[0].text == "Questions by category and language, at most 8"


def test_more_languages_than_colours_begin_again_and_no_question_at_all_is_no_error():
    six = category_chart(figures(**{name: {"a": 0} for name in "abcdef"}))
    legend = [each.get("fill") for each in elements(six, "}rect")[1:7]]
    assert len(set(legend)) == 5
    assert legend[5] == legend[0]
    assert {float(bar.get("width")) for bar in elements(six, "}rect")[7:]} == {0.0}


def test_a_name_is_text_and_never_markup():
    chart = category_chart(figures(**{"<b>": {"<script>": 1}}))
    assert [text.text for text in elements(chart, "}text")] == ["<b>", "<script>", "1"]
    assert elements(chart, "script") == []


def test_the_chart_of_a_release_is_that_of_its_languages(made_up_build, tmp_path, source_of):
    result = make_release(tmp_path, source_of(made_up_build))
    chart = (Path(result.folder) / "categories.svg").read_text()
    assert {e.tag.rpartition("}")[2] for e in ET.fromstring(chart).iter()} == {"svg", "title", "rect", "text"}
    texts = [text.text for text in elements(chart, "}text")]
    assert texts[:2] == ["en", "fr"]
    assert [text for text in texts if text.isdigit()] == ["4", "3", "3", "2", "3", "0", "3", "0"]
