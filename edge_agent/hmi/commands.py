"""`edge-agent hmi`: the operator's page. Imports nothing of the page itself, which is an extra of the installation."""

from __future__ import annotations

import importlib
import os
import sys
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any

import typer

from edge_agent.adapters.mqtt.settings import MqttSettings, TlsSettings
from edge_agent.cell_file import load_cell
from edge_agent.messages.codes import Lang
from edge_agent.messages.topics import DEFAULT_PREFIX

MISSING = """\
The page needs NiceGUI, which is not installed here; nothing was started. Type: pip install 'sorting-edge-agent[hmi]'
页面需要 NiceGUI，此处没有安装，未启动。请输入：pip install 'sorting-edge-agent[hmi]'"""
PORT = 8080
CLEAR = """\
Nothing was started: on {host} passwords would cross the network in the clear. Give --cert and --key, or leave --host \
at 127.0.0.1 and put a proxy with TLS in front (edge_agent/hmi/README.md shows one).
没有启动：在 {host} 上密码会以明文经过网络。请给出 --cert 和 --key，或让 --host 保持 127.0.0.1 并在前面放一个 TLS 代理\
（见 edge_agent/hmi/README.md）。"""
HALF = """\
Nothing was started: --cert and --key belong together, and both files must be readable.
没有启动：--cert 和 --key 要一起给出，而且两个文件都要能读取。"""


def hmi(
    broker_host: Annotated[str, typer.Option(help="The broker. 消息服务器。")] = "127.0.0.1",
    broker_port: Annotated[int, typer.Option(help="Its port. 端口。")] = 1883,
    ca: Annotated[Path | None, typer.Option(help="CA file: speak TLS to it. CA 文件：使用 TLS。")] = None,
    prefix: Annotated[str, typer.Option(help="The cell's topics. 单元的主题前缀。")] = DEFAULT_PREFIX,
    cell: Annotated[Path | None, typer.Option(help="The cell file, for the picture. 单元文件，用于画面。")] = None,
    host: Annotated[str, typer.Option(help="Where the page listens. 页面监听地址。")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Its port. 页面端口。")] = PORT,
    cert: Annotated[Path | None, typer.Option(help="Certificate: the page itself speaks TLS. 页面证书。")] = None,
    key: Annotated[Path | None, typer.Option(help="The certificate's key. 证书私钥。")] = None,
    lang: Annotated[str | None, typer.Option(help="zh or en, before a browser says its own. 语言。")] = None,
) -> None:
    """Serve the operator's page. 启动操作页面。"""
    if (refused := _why_not(host, cert, key)) is not None:
        print(refused, file=sys.stderr)
        raise typer.Exit(1)
    spec = load_cell(cell)
    server = _server()
    if server is None:
        print(MISSING, file=sys.stderr)
        raise typer.Exit(1)
    tls = None if ca is None else TlsSettings(ca_file=ca)
    broker = MqttSettings(host=broker_host, port=broker_port, username="", prefix=prefix, tls=tls)
    spoken = lang or ("zh" if os.environ.get("LANG", "").startswith("zh") else "en")
    said: Lang = "zh" if spoken == "zh" else "en"
    server.serve(
        server.HmiOptions(broker=broker, spec=spec, host=host, port=port, lang=said, certificate=cert, key=key)
    )


def _why_not(host: str, cert: Path | None, key: Path | None) -> str | None:
    """Whether anybody's password may be typed into a page that is served so."""
    if (cert is None) != (key is None) or not all(os.access(f, os.R_OK) for f in (cert, key) if f is not None):
        return HALF
    return None if cert is not None or _loopback(host) else CLEAR.format(host=host)


def _loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _server() -> Any:
    """The page server; None where the extra is not installed."""
    try:
        return importlib.import_module("edge_agent.hmi.server")
    except ModuleNotFoundError as missing:
        if missing.name is not None and missing.name.split(".")[0] in ("nicegui", "fastapi"):
            return None
        raise
