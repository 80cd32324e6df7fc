"""Calls the tools of an edge with the protocol's own client, in both of its ways to begin. `run` installs the client."""

import asyncio
import json
import sys
import urllib.request
from pathlib import Path

from mcp import Client, MCPError

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "soak"))
from processes import Edge, settings, start_site  # noqa: E402

# A list of the site, and the record that is asked for below.
EVENT = {"id": 50, "title": "Gala"}
ANSWERS = {
    "/wp-json/tribe/events/v1/events": {"events": [EVENT], "total": 1, "total_pages": 1},
    "/wp-json/tribe/events/v1/events/50": EVENT,
}
READS = 13


class Site(asyncio.Protocol):
    """Answers what is in the table; every other path is not found."""

    def connection_made(self, transport):
        self.transport, self.unread = transport, b""

    def data_received(self, data):
        self.unread += data
        while (end := self.unread.find(b"\r\n\r\n")) >= 0:
            target, self.unread = self.unread.split(b" ")[1].decode(), self.unread[end + 4 :]
            answer = ANSWERS.get(target.partition("?")[0])
            status = "200 OK" if answer else "404 Not Found"
            body = json.dumps(answer or {"code": "event-not-found", "message": "There is none.", "data": {"status": 404}})
            head = f"HTTP/1.1 {status}\r\nContent-Type: application/json; charset=UTF-8\r\nContent-Length: {len(body)}\r\n\r\n"
            self.transport.write((head + body).encode())


def asked_of_cache(edge):
    """The status of the cache for the list that the tools read."""
    url = f"http://127.0.0.1:{edge.port}/wp-json/calendar/events/v1/events?per_page=2"
    with urllib.request.urlopen(url, timeout=20) as answer:
        return answer.headers["Cache-Status"]


async def check(url, mode, revision):
    """Lists and calls tools; returns how many things it checked."""
    async with Client(url, mode=mode) as client:
        assert client.protocol_version == revision, client.protocol_version
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert len(tools) == READS and all(tool.annotations.read_only_hint for tool in tools.values()), sorted(tools)
        listed = await client.call_tool("events_list", {"per_page": 2})
        assert not listed.is_error and listed.structured_content["events"] == [EVENT], listed
        record = await client.call_tool("events_read", {"id": 50})
        assert json.loads(record.content[0].text) == EVENT, record
        for tool, arguments, code in [
            ("events_list", {"page": -1}, "rest_invalid_param"),
            ("events_read", {"id": 51}, "event-not-found"),
        ]:
            refused = await client.call_tool(tool, arguments)
            assert refused.is_error and json.loads(refused.content[0].text)["code"] == code, refused
        try:
            await client.call_tool("events_create", {"title": "x"})
        except MCPError as error:
            assert error.code == -32602, error
        else:
            raise AssertionError("a tool that writes")
    return 7


def main(program):
    site, port = start_site(Site)
    edge = Edge(program, settings(port) + "[agents]\nmcp = true\n[cache]\nfresh = \"1m\"\n")
    try:
        url = f"http://127.0.0.1:{edge.port}/wp-json/calendar-edge/v1/mcp"
        ways = [("auto", "2026-07-28"), ("legacy", "2025-11-25")]
        checked = sum(asyncio.run(check(url, mode, revision)) for mode, revision in ways)
        status = asked_of_cache(edge)
        assert "hit" in status, status
        print(f"tools for agents: {checked + 1} things are as they should be, in revisions {', '.join(r for _, r in ways)}")
    finally:
        edge.end()
        site.terminate()


if __name__ == "__main__":
    main(sys.argv[1])
