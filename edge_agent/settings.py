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
    """Names and defaults are those of `adapters.mqtt.settings`; a test holds the two together."""

    host: Annotated[str, StringConstraints(min_length=1, max_length=253)] = "127.0.0.1"
    port: Port = 1883
    username: UserName = "agent"
    password_file: Path | None = None
    """None: no password. Under systemd the credential `mqtt-password` is taken when this is not set."""
    tls: bool = False
    """True as soon as the broker is not on this machine."""
    ca_file: Path | None = None
    """None: the system's own authorities."""
    cert_file: Path | None = None
    key_file: Path | None = None
    prefix: Annotated[str, StringConstraints(pattern=r"^[^+#\x00]{1,200}$")] = "edge-agent/v1/{cell}"
    """`{cell}` is the name in the cell file; a site may set an ISA-95 path before it."""
    keepalive_s: Annotated[int, Field(ge=2, le=60)] = 5
    """The last will goes out after 1.5 of these; a frozen agent is seen by its missing heartbeat before that."""
    connect_timeout_s: Seconds = 5.0
    reconnect_min_s: Seconds = 1.0
    reconnect_max_s: Seconds = 30.0
    refused_wait_s: Seconds = 60.0
    """A wrong password does not get right by trying faster, and some brokers lock the user out."""
    prove_timeout_s: Seconds = 10.0
    """Until the agent's own messages came back; without them nobody can see it, and nothing new moves."""
    max_packet_bytes: Annotated[int, Field(ge=8_192, le=65_536)] = 16_384
    """The broker's own limit, twice the largest request."""
    max_outgoing: Annotated[int, Field(ge=1, le=10_000)] = 200
    """The journal is the outbox; this queue only smooths one reconnect."""
    max_inbound: Annotated[int, Field(ge=8, le=10_000)] = 256
    """More than a broker keeps for one client: what finds no room here is acknowledged by nobody and lost."""

    def prefix_of(self, cell: str) -> str:
        """The first levels of every topic of the cell called `cell`."""
        return self.prefix.replace("{cell}", cell)


class Rate(Section):
    """Requests of one user; stops are never counted."""

    burst: Annotated[int, Field(ge=1, le=1_000)] = 20
    per_s: Annotated[float, Field(gt=0, le=1_000, allow_inf_nan=False)] = 5.0


class Cell(Section):
    file: Path | None = None
    """None: the default cell that comes with the product (simulated)."""


class Retention(Section):
    segment_rows: Annotated[int, Field(ge=1_000, le=10_000_000)] = 200_000
    """A new file begins at the next quiet moment after this many rows."""
    keep_days: Annotated[int, Field(ge=1, le=3_650)] = 90
    carry_h: Annotated[int, Field(ge=1, le=168)] = 24
    """How long a repeated request id is still known to be a duplicate after a new file began."""
    ballast_bytes: Annotated[int, Field(ge=65_536, le=67_108_864)] = 1_048_576
    """Given up on a full disk so that the fault itself can be written down."""


class Journal(Section):
    folder: Path = Path("/var/lib/edge-agent")
    """Under systemd `$STATE_DIRECTORY` is taken."""
    commit_deadline_s: Seconds = 1.0
    """A commit not back by then is a journal fault; a healthy one took 0.4 ms where it was measured."""
    retention: Retention = Retention()


class Deadlines(Section):
    run_s: Seconds = 30.0
    """A person waits no longer for a word than that."""
    tool_s: Seconds = 2.0
    choose_s: Seconds = 1.5
    write_s: Seconds = 15.0
    motion_margin_s: Seconds = 5.0
    """A motion's run may last the command's max duration and this long."""
    prompt_s: Seconds = 30.0
    """How long a confirmation stays open; no run's deadline goes on meanwhile."""


class Understanding(Section):
    min_top_score: Fraction = 0.55
    min_margin: Fraction = 0.15
    """Both hold until a calibration has been fitted."""
    phrases_folder: Path | None = None
    """A site's own packs, read besides the ones that come with the product. None: none."""


class Breaker(Section):
    """When a model worker that keeps dying is left alone, and for how long."""

    max_deaths: Annotated[int, Field(ge=1, le=100)] = 3
    window_s: Seconds = 60.0
    pause_s: Seconds = 30.0
    """Long enough for an overloaded machine to recover, short enough that nobody restarts the agent for it."""
    first_delay_s: Seconds = 0.2
    max_delay_s: Seconds = 10.0


class Model(Section):
    enabled: bool = True
    """False is the same condition as a model that is down."""
    file: Path | None = None
    """None: the file of the installed model package, joined into the state folder."""
    threads: Annotated[int, Field(ge=1, le=64)] = 1
    """Two threads on two cores meet at a barrier some hundred times a pass: under load 5 x slower than one."""
    start_deadline_s: Seconds = 120.0
    """A first start evaluates the whole prompt: 2 s on an idle core, a minute for a wordy one on a busy core."""
    recycle_after: Annotated[int, Field(ge=1, le=10_000_000)] = 5_000
    """Calls; a slow leak in the library never becomes this process's trouble."""
    breaker: Breaker = Breaker()


class Console(Section):
    tty: Path | None = None
    """Serial line of the technician's console. None: no console."""
    baud: Literal[9600, 19200, 38400, 57600, 115200] = 115200
    pin_file: Path | None = None
    """Salted hashes, one line a technician. None: nobody can log in, so a lockout can not be reset."""
    pin_tries: Annotated[int, Field(ge=1, le=10)] = 5
    pin_lock_s: Seconds = 300.0
    idle_logout_s: Seconds = 300.0


class Lab(Section):
    enabled: bool = False
    """Whether a technician may put faults in where the cell is not a simulated one (`lab` of the cell file says the
    same). A simulated cell takes them anyway, a driver marked real never."""
    policy: Path | None = None
    """A policy folder (retry, codes, thresholds, refusals, phrases, causes). None: the product's own figures, and
    `[retry]` and `[understanding]` of this file. Where both speak, the folder does."""


class Log(Section):
    level: Literal["debug", "info", "warning", "error"] = "info"
    """The words of operators are in the log at debug only."""


class Settings(Section):
    """Everything above."""

    lang: Lang = "zh"
    """Of a text that shows no language, and of messages to nobody in particular."""
    mqtt: Mqtt = Mqtt()
    rate: Rate = Rate()
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
