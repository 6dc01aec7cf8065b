"""Settings of model endpoints: generator, judge, embeddings; and which key belongs to which address.

A key goes to the address that it was set for and to no other one. Addresses and keys are checked here, once, so
that whoever opens a connection can rely on them. Messages never quote either.
"""

from __future__ import annotations

import os
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, model_validator

from claimrag.schemas.address import Origin, origin_of
from claimrag.schemas.errors import SettingsError

OPENAI_BASE_URL = "https://api.openai.com/v1"
OPENAI_KEY = "OPENAI_API_KEY"


class Section(BaseModel):
    """A part of the settings; the docstring of each field is its description in docs/settings.md."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


def _checked_address(address: str) -> str:
    origin_of(address)
    return address


def _sendable_key(key: SecretStr) -> SecretStr:
    """Without white space around it; raises ValueError where it cannot stand in an HTTP header."""
    value = key.get_secret_value().strip()
    if not all("!" <= character <= "~" for character in value):
        raise ValueError("holds a character that no key has (a space, an accent, a control character)")
    return SecretStr(value)


BaseUrl = Annotated[str, AfterValidator(_checked_address)]
ApiKey = Annotated[SecretStr, AfterValidator(_sendable_key)]


class Price(Section):
    """Money per million tokens, in US dollars."""

    prompt_usd_per_million: float = Field(ge=0)
    """For prompts"""
    completion_usd_per_million: float = Field(ge=0)
    """For replies"""


class ModelSettings(Section):
    """One OpenAI-compatible endpoint. Neither `base_url` nor `model` set means the local model.

    OPENAI_API_KEY is the key of OpenAI's own address; with `use_openai_key`, of this one too.
    `context_tokens` bounds prompt and answer together, where it was set.
    """

    base_url: BaseUrl | None = None
    """Address of an OpenAI-compatible endpoint, as in http://127.0.0.1:8000/v1"""
    model: str | None = None
    """The model's name at the endpoint"""
    api_key: ApiKey | None = None
    """Key for that address; it is sent nowhere else and shown nowhere"""
    use_openai_key: bool = False
    """Send OPENAI_API_KEY to `base_url` too; otherwise only OpenAI's own address gets it"""
    max_in_flight: int = Field(8, ge=1, le=1024)
    """Requests at a time"""
    requests_per_minute: int | None = Field(None, ge=1)
    """Pace in requests; none: as fast as `max_in_flight` allows"""
    tokens_per_minute: int | None = Field(None, ge=1)
    """Pace in tokens, prompt and reply together"""
    budget_usd: float | None = Field(None, gt=0)
    """US dollars; the call that could exceed them is not sent. Needs `prices`"""
    temperature: Literal["as_designed", "unsupported"] = "as_designed"
    """`unsupported` for an endpoint that takes no temperature: none is sent, and every row says so"""
    timeout_s: float = Field(120, gt=0)
    """Seconds to wait for one reply"""
    max_attempts: int = Field(6, ge=1, le=20)
    """How often a request is sent when the endpoint is busy or silent"""
    context_tokens: int = Field(8192, ge=512)
    """Context of the model in tokens, prompt and reply together; prompts are bounded where it is set"""
    prices: dict[str, Price] = Field(default_factory=dict)
    """US dollars per million tokens, by model: `prompt_usd_per_million`, `completion_usd_per_million`"""

    @property
    def is_local(self) -> bool:
        """Whether the pipeline starts and stops its own model server."""
        return self.base_url is None and self.model is None

    @model_validator(mode="after")
    def _a_server_needs_a_model_name(self) -> ModelSettings:
        if self.base_url is not None and not self.model:
            raise ValueError("a model name is needed with base_url: set `model` beside it")
        _check_price(self.budget_usd, self.model, self.prices)
        return self


def _check_price(budget_usd: float | None, model: str | None, prices: dict[str, Price]) -> None:
    if budget_usd is not None and model is not None and model not in prices:
        raise ValueError(f"budget_usd needs a price for {model!r}: add it to `prices`")


class JudgeSettings(Section):
    """The model that extracts and checks claims; what is not set here is as in `llm`.

    The key of `llm` is used only where scheme, host and port are the same.
    """

    base_url: BaseUrl | None = None
    """Address of the judge's endpoint; none: that of `llm`"""
    model: str | None = None
    """The model that extracts and checks claims; none: that of `llm`"""
    api_key: ApiKey | None = None
    """Key for the judge's address; that of `llm` is used only where scheme, host and port are the same"""
    max_in_flight: int | None = Field(None, ge=1, le=1024)
    """As `llm.max_in_flight`, for the judge; none: the same"""
    requests_per_minute: int | None = Field(None, ge=1)
    """As `llm.requests_per_minute`, for the judge; none: the same"""
    tokens_per_minute: int | None = Field(None, ge=1)
    """As `llm.tokens_per_minute`, for the judge; none: the same"""
    budget_usd: float | None = Field(None, gt=0)
    """As `llm.budget_usd`, for the judge; none: the same"""
    temperature: Literal["as_designed", "unsupported"] | None = None
    """As `llm.temperature`, for the judge; none: the same"""
    timeout_s: float | None = Field(None, gt=0)
    """As `llm.timeout_s`, for the judge; none: the same"""
    max_attempts: int | None = Field(None, ge=1, le=20)
    """As `llm.max_attempts`, for the judge; none: the same"""
    context_tokens: int | None = Field(None, ge=512)
    """As `llm.context_tokens`, for the judge; none: the same"""
    prices: dict[str, Price] | None = None
    """As `llm.prices`, for the judge; none: the same"""


class EmbeddingSettings(Section):
    """The dense retriever's embedder; nothing set means the local multilingual-e5-small.

    Limits, budget and prices mean what they mean in `llm`; the key of `llm` is used only where scheme, host
    and port are the same.
    """

    base_url: BaseUrl | None = None
    """Address of the embedder's endpoint; none: OpenAI's, or the local model where `model` is not set either"""
    model: str | None = None
    """The embedder's name; none: the local multilingual-e5-small"""
    api_key: ApiKey | None = None
    """Key for that address; that of `llm` is used only where scheme, host and port are the same"""
    batch_size: int = Field(32, ge=1)
    """Texts in one request"""
    max_in_flight: int = Field(8, ge=1, le=1024)
    """Requests at a time"""
    requests_per_minute: int | None = Field(None, ge=1)
    """Pace in requests; none: as fast as `max_in_flight` allows"""
    tokens_per_minute: int | None = Field(None, ge=1)
    """Pace in tokens, prompt and reply together"""
    budget_usd: float | None = Field(None, gt=0)
    """US dollars; the call that could exceed them is not sent. Needs `prices`"""
    timeout_s: float = Field(120, gt=0)
    """Seconds to wait for one reply"""
    max_attempts: int = Field(6, ge=1, le=20)
    """How often a request is sent when the endpoint is busy or silent"""
    prices: dict[str, Price] = Field(default_factory=dict)
    """US dollars per million tokens, by model: `prompt_usd_per_million`, `completion_usd_per_million`"""

    @model_validator(mode="after")
    def _a_budget_needs_a_price(self) -> EmbeddingSettings:
        _check_price(self.budget_usd, self.model, self.prices)
        return self

    def endpoint(self) -> ModelSettings:
        """The same endpoint in the terms of the gateway; without `base_url` it is OpenAI's."""
        values = {name: getattr(self, name) for name in EmbeddingSettings.model_fields}
        del values["batch_size"]
        return ModelSettings(**values | {"base_url": self.base_url or OPENAI_BASE_URL})


Endpoint = TypeVar("Endpoint", ModelSettings, JudgeSettings, EmbeddingSettings)


def with_key(endpoint: Endpoint, key: SecretStr | None) -> Endpoint:
    """`endpoint` with `key`, unless it has one of its own."""
    if key is None or endpoint.api_key is not None:
        return endpoint
    return endpoint.model_copy(update={"api_key": key})


def openai_key() -> SecretStr | None:
    """The key in OPENAI_API_KEY; raises SettingsError where it cannot be sent."""
    key = os.environ.get(OPENAI_KEY)
    if not key:
        return None
    try:
        return _sendable_key(SecretStr(key))
    except ValueError as error:
        raise SettingsError(f"{OPENAI_KEY} {error}: set it again, or unset it") from None


def is_openai(base_url: str | None) -> bool:
    """Whether it is OpenAI's own address, over TLS."""
    return _origin(base_url) == origin_of(OPENAI_BASE_URL)


def same_origin(one: str | None, other: str | None) -> bool:
    """Whether scheme, host and port are the same."""
    return _origin(one) == _origin(other)


def _origin(base_url: str | None) -> Origin | None:
    return None if base_url is None else origin_of(base_url)
