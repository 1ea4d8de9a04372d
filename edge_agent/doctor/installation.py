"""What was installed: Python, our packages, their data, programs from Debian."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping
from typing import Final

from edge_agent.distribution import NAME, foreign_packages
from edge_agent.doctor.finding import Finding, good, missing, note
from edge_agent.places import Place, PlaceMissing, packaged

OLDEST_PYTHON: Final = (3, 11)
SBIN: Final = "/usr/local/sbin:/usr/sbin:/sbin"
"""Where Debian puts mosquitto; a user's own PATH often lacks it."""


def python() -> Iterator[Finding]:
    found = ".".join(map(str, sys.version_info[:3]))
    wanted = ".".join(map(str, OLDEST_PYTHON))
    if sys.version_info >= OLDEST_PYTHON and sys.platform == "linux":
        yield good("Python", found)
    else:
        yield missing(
            "Python",
            f"found {found} on {sys.platform}; needs {wanted} or newer on Linux",
            f"当前为 {sys.platform} 上的 {found}；需要 Linux 上的 {wanted} 或更高版本",
            f"make setup PYTHON=python{wanted}",
        )


def packages() -> Iterator[Finding]:
    strangers = foreign_packages()
    if not strangers:
        yield good("packages", NAME)
    for each in strangers:
        yield missing(
            f"package {each.package}",
            f"comes from another place ({each.source}); this program would be half somebody else's",
            f"来自其他来源（{each.source}），程序的一部分不是本产品",
            "rm -r .venv && make setup",
        )


def places() -> Iterator[Finding]:
    for place in Place:
        try:
            packaged(place)
        except PlaceMissing as error:
            english, chinese = str(error).splitlines()
            yield missing(f"data {place}", english, chinese, "rm -r .venv && make setup")


PROGRAMS: Final = {
    "mosquitto": (
        "mosquitto",
        "no broker on this machine: demo and tests need it; a cell may use one elsewhere",
        "本机没有 MQTT 服务器：演示和测试需要它；现场可使用其他机器上的",
    ),
    "mosquitto_sub": (
        "mosquitto-clients",
        "no hand tools for MQTT: only some lines of the documentation need them",
        "没有 MQTT 命令行工具：仅文档中的部分命令需要",
    ),
    "socat": ("socat", "only the tests of serial lines need it", "仅串口测试需要"),
}
"""Program → Debian package, and what works without it."""


def programs(environ: Mapping[str, str]) -> Iterator[Finding]:
    for program, (package, en, zh) in PROGRAMS.items():
        path = shutil.which(program, path=f"{environ.get('PATH', '')}:{SBIN}")
        yield good(program, path) if path else note(program, en, zh, f"sudo apt-get install -y {package}")
