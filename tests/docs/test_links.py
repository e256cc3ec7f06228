"""Links in the pages lead somewhere."""

from __future__ import annotations

import re

import pytest
from tests.docs import pages

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def anchors(page: str) -> set[str]:
    """The anchors of a page's headings, made as code hosts make them."""
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(pages.prose(page))
    }


@pytest.mark.parametrize("page", pages.PAGES)
def test_every_relative_link_leads_to_a_file_and_its_heading(page: str) -> None:
    for link in LINK.findall(pages.prose(page)):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = link.partition("#")
        target = ((pages.ROOT / page).parent / file).resolve() if file else pages.ROOT / page
        assert target.exists(), f"{page} links to {link}"
        if anchor:
            assert anchor in anchors(str(target.relative_to(pages.ROOT))), f"{page} links to {link}"


def test_the_index_has_every_page_of_the_folder() -> None:
    linked = {(pages.ROOT / "docs" / link).resolve() for link in LINK.findall(pages.read("docs/README.md"))}
    for page in (pages.ROOT / "docs").rglob("*.md"):
        assert page in linked or page.name == "README.md", f"docs/README.md does not link {page.name}"
