"""Text from anywhere, made safe to print: what would steer a terminal, or reorder the line, becomes visible.

Names, comments, and what a reference or a contract of the user's own says belong to the author of the candidate. A
verdict that such text could erase, overwrite or turn around on the screen would be worth nothing.
"""

from __future__ import annotations

import re

# Controls but tab and newline; what is invisible or turns the direction of text; separators that break lines; halves of
# surrogate pairs, which cannot be encoded at all.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)


def visible(text: str) -> str:
    """The text with U+FFFD, one column wide, for every such character: columns and carets stay where they are."""
    return _UNSEEN.sub("\ufffd", text)
