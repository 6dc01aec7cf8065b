"""croissant.json: the release described for machines in the Croissant vocabulary 1.0 (MLCommons, schema.org).

A record set per configuration and a field per column, made from the rows' own nouns, so that nothing can be described
that is not there. Lists of values are repeated fields. Columns of structs are named in the description of their record
set and are no fields: the reader of MLCommons (mlcroissant 1.1.1) casts each value of a Parquet column to one type.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from claimrag.schemas.arrow import arrow_schema
from claimrag.schemas.base import Noun
from claimrag.schemas.release import ReleaseFile
from claimrag.tasks.release.citation import abstract_of, bibtex, title_of
from claimrag.tasks.release.rows import CONFIGURATIONS, data_path
from claimrag.tasks.release.staging import Staged

CROISSANT_PATH = "croissant.json"
CONFORMS_TO = "http://mlcommons.org/croissant/1.0"
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The context of the specification, as it stands there."""
_SCALARS: tuple[tuple[Any, str], ...] = (
    (pa.types.is_boolean, "sc:Boolean"),
    (pa.types.is_integer, "sc:Integer"),
    (pa.types.is_floating, "sc:Float"),
    (pa.types.is_date, "sc:Date"),
)


def croissant_file(version: str, rows: Staged, files: Mapping[str, ReleaseFile]) -> str:
    """The text of croissant.json; `files` are the release's data files by their path."""
    names = [name for name in CONFIGURATIONS if data_path(name) in files]
    described = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": title_of(rows.acts),
        "description": abstract_of(rows.acts, rows.figures),
        "version": version,
        "license": sorted({act.licence for act in rows.acts}),
        "inLanguage": sorted({act.language for act in rows.acts}),
        "creator": {"@type": "sc:Organization", "name": "claimrag"},
        "citeAs": bibtex(version, rows.acts, rows.figures),
        "distribution": [_file(name, files[data_path(name)]) for name in names],
        "recordSet": [_records(name, CONFIGURATIONS[name]) for name in names],
    }
    return json.dumps(described, ensure_ascii=False, indent=2) + "\n"


def _file(name: str, file: ReleaseFile) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": f"{name}.parquet",
        "name": f"{name}.parquet",
        "contentUrl": file.path,
        "contentSize": f"{file.bytes} B",
        "encodingFormat": "application/x-parquet",
        "sha256": file.sha256,
    }


def _records(name: str, model: type[Noun]) -> dict[str, Any]:
    structs = [column.name for column in arrow_schema(model) if pa.types.is_struct(_innermost(column.type))]
    beside = f" Also in the file: {', '.join(structs)}." if structs else ""
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": (model.__doc__ or "").partition("\n")[0] + beside,
        "field": list(_fields(name, model)),
    }


def _fields(name: str, model: type[Noun]) -> Iterator[dict[str, Any]]:
    for column in arrow_schema(model):
        inner = _innermost(column.type)
        if pa.types.is_struct(inner):
            continue
        field = {
            "@type": "cr:Field",
            "@id": f"{name}/{column.name}",
            "name": column.name,
            "description": model.model_fields[column.name].description or column.name,
            "dataType": next((kind for is_of, kind in _SCALARS if is_of(inner)), "sc:Text"),
            "source": {"fileObject": {"@id": f"{name}.parquet"}, "extract": {"column": column.name}},
        }
        yield field | ({"repeated": True} if pa.types.is_list(column.type) else {})


def _innermost(column: pa.DataType) -> pa.DataType:
    """The type of what a list holds, however deep."""
    return _innermost(column.value_type) if pa.types.is_list(column) else column
