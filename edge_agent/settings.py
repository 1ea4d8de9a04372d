"""What a site may set, with each default and its reason. Read once at start, never changed after.

From a TOML file (`edge-agent --settings FILE`, else the first of `DEFAULT_FILES` that is there, else the defaults
below), over which environment variables win: `EDGE_AGENT_MQTT__PORT=8883` is `port` of `[mqtt]`. An unknown key, a
wrong type or a number out of bounds is a `BadFile`: nothing starts with half-understood settings.

Passwords never stand here: a setting names the file that holds one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, PositiveFloat, StringConstraints, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from edge_agent.checked_file import bad_file, checked, read_toml
from edge_agent.run.budget import BudgetLimits
from edge_agent.run.retry import RetryPolicy
from offline_rules.reading import Lang

DEFAULT_FILES: Final = (Path("/etc/edge-agent/settings.toml"), Path("settings.toml"))

Role: TypeAlias = Literal["viewer", "student", "operator", "technician"]
UserName: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{1,31}$")]
"""A topic level that the broker's ACL binds to the login; so no wildcard, no slash, no upper case twin."""
Fraction: TypeAlias = Annotated[float, Field(ge=0.0, le=1.0)]
Port: TypeAlias = Annotated[int, Field(ge=1, le=65_535)]
Seconds: TypeAlias = Annotated[PositiveFloat, Field(le=86_400.0, allow_inf_nan=False)]


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)


class Mqtt(Section):
    host: Annotated[str, StringConstraints(min_length=1, max_length=253)] = "127.0.0.1"
    port: Port = 1883
    prefix: Annotated[str, StringConstraints(pattern=r"^[^+#\x00]{1,200}$")] = "edge-agent/v1/{cell}"
    """`{cell}` is the name in the cell file; a site may set an ISA-95 path before it."""
    username: UserName = "agent"
    password_file: Path | None = None
    """None: no password. Under systemd the credential `mqtt-password` is taken when this is not set."""
    ca_file: Path | None = None
    """None: no TLS. Leave it so on loopback only."""
    client_cert_file: Path | None = None
    client_key_file: Path | None = None
    keepalive_s: Annotated[int, Field(ge=2, le=60)] = 5
    """The last will goes out after 1.5 of these; a frozen agent is seen by its missing heartbeat before that."""
    receive_maximum: Annotated[int, Field(ge=1, le=100)] = 8
    """Requests the broker may hand over before their rows are journalled."""
    stop_receive_maximum: Annotated[int, Field(ge=1, le=1000)] = 100
    """On the connection for stops alone, where nothing waits for a row."""
    max_packet_bytes: Annotated[int, Field(ge=8_192, le=65_536)] = 16_384
    """The broker's own limit, twice the largest request."""
    max_queued_messages: Annotated[int, Field(ge=1, le=10_000)] = 200
    """The journal is the outbox; this queue only smooths one reconnect."""
    reconnect_min_s: Seconds = 1.0
    reconnect_max_s: Seconds = 30.0
    bad_login_wait_s: Seconds = 60.0
    """A wrong password does not get right by trying faster, and some brokers lock the user out."""
    status_every_s: Seconds = 2.0
    own_status_max_age_s: Seconds = 10.0
    """Older than this and the broker no longer shows us to anybody: no new motion."""
    requests_per_minute: Annotated[int, Field(ge=1, le=6_000)] = 60
    """Of one user; a person does not type faster, a loop does. Stops are never counted."""


class Cell(Section):
    file: Path | None = None
    """None: the default cell that comes with the product (simulated)."""
    simulator_host: str = "127.0.0.1"


class Journal(Section):
    folder: Path = Path("/var/lib/edge-agent")
    """Under systemd `$STATE_DIRECTORY` is taken when this is not set."""
    commit_fault_s: Seconds = 1.0
    """A commit not back by then is a journal fault; a healthy one took 0.4 ms where it was measured."""
    commit_alarm_ms: Annotated[int, Field(ge=1, le=60_000)] = 200
    ballast_bytes: Annotated[int, Field(ge=65_536, le=67_108_864)] = 1_048_576
    """Given up on a full disk so that the fault itself can be written down."""
    segment_rows: Annotated[int, Field(ge=1_000, le=10_000_000)] = 200_000
    """A new file begins at the next quiet moment after this many rows."""
    keep_days: Annotated[int, Field(ge=1, le=3_650)] = 90
    request_ids_kept_h: Annotated[int, Field(ge=1, le=168)] = 24
    """How long a repeated request id is still known to be a duplicate after a new file began."""


class Deadlines(Section):
    run_s: Seconds = 30.0
    """A person waits no longer for a word than that."""
    tool_s: Seconds = 2.0
    choose_s: Seconds = 1.5
    write_s: Seconds = 15.0
    motion_margin_s: Seconds = 5.0
    """A motion's run may last the command's max duration and this long."""
    prompt_s: Seconds = 30.0
    """How long a confirmation or a question stays open; no run's deadline goes on meanwhile."""
    record_s: Seconds = 2.0


class Understanding(Section):
    min_top_score: Fraction = 0.55
    min_margin: Fraction = 0.15
    """Both hold until a calibration has been fitted."""
    min_candidate_score: Fraction = 0.15
    phrases_folder: Path | None = None
    """A site's own packs, read besides the ones that come with the product. None: none."""


class Model(Section):
    enabled: bool = True
    """False is the same condition as a model that is down."""
    file: Path | None = None
    """None: the file of the installed model package, joined into the state folder."""
    context_tokens: Annotated[int, Field(ge=256, le=32_768)] = 1_024
    batch_tokens: Annotated[int, Field(ge=8, le=512)] = 64
    """512 would allocate twice 512 MB for a vocabulary of 262k words."""
    threads: Annotated[int, Field(ge=1, le=64)] = 2
    nice: Annotated[int, Field(ge=0, le=19)] = 10
    """The arm's supervision goes first."""
    memory_over_file_mib: Annotated[int, Field(ge=100, le=16_384)] = 800
    """Address space above the file's own size; 793 MB was the measured peak with the file."""
    call_tokens: Annotated[int, Field(ge=16, le=8_192)] = 400
    """After the kept prefix; longer input is cut and says so."""
    deaths_before_open: Annotated[int, Field(ge=1, le=100)] = 3
    deaths_window_s: Seconds = 60.0
    half_open_after_s: Seconds = 30.0
    recycle_after_calls: Annotated[int, Field(ge=1, le=10_000_000)] = 5_000
    """A slow leak in the library never becomes this process's trouble."""


class Console(Section):
    tty: Path | None = None
    """Serial line of the technician's console. None: no console."""
    baud: Literal[9600, 19200, 38400, 57600, 115200] = 115200
    pin_file: Path | None = None
    """Salted hashes, one line a technician. None: nobody can log in, so a lockout can not be reset."""
    pin_tries: Annotated[int, Field(ge=1, le=10)] = 5
    pin_lock_s: Seconds = 300.0
    idle_logout_s: Seconds = 300.0
    line_chars: Annotated[int, Field(ge=80, le=4_096)] = 1_000


class Lab(Section):
    enabled: bool = False
    """Whether faults may be put in at all; the cell file and the driver have a word in it as well."""
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] = 1


class Log(Section):
    level: Literal["debug", "info", "warning", "error"] = "info"
    """The words of operators are in the log at debug only."""
    metrics_port: Port | None = None
    """Prometheus metrics on loopback. None: not served."""


class Settings(Section):
    """Everything above."""

    lang: Lang = "zh"
    """Of a text that shows no language, and of messages to nobody in particular."""
    mqtt: Mqtt = Mqtt()
    cell: Cell = Cell()
    journal: Journal = Journal()
    deadlines: Deadlines = Deadlines()
    budget: BudgetLimits = BudgetLimits()
    retry: RetryPolicy = RetryPolicy()
    """Of query tools. Arm tools are never tried again, whatever stands here."""
    understanding: Understanding = Understanding()
    model: Model = Model()
    console: Console = Console()
    lab: Lab = Lab()
    log: Log = Log()
    users: Annotated[dict[UserName, Role], Field(max_length=1_000)] = {}
    """Roles of those who log in to the broker. A login that is not listed may only look (viewer)."""


class Overlaid(Settings, BaseSettings):
    """The same, with the environment over what the file gave (as arguments)."""

    model_config = SettingsConfigDict(env_prefix="EDGE_AGENT_", env_nested_delimiter="__")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 - the library's signature, here and below
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return env_settings, init_settings


def load_settings(file: Path | None = None) -> Settings:
    """The named file, which must be there; without a name the first default file there is. Raises `BadFile`."""
    found = file or next((each for each in DEFAULT_FILES if each.is_file()), None)
    data = {} if found is None else read_toml(found)
    checked(found or "defaults", Settings, data)
    try:
        return Overlaid.model_validate(data)
    except ValidationError as error:
        raise bad_file("environment EDGE_AGENT_*", Overlaid, error) from error
