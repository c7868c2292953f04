"""A small MCP server over standard input and output: `note` makes a file, `remove` removes one,
`approve` answers a client that asks whether a call may run."""
import json
import os
import sys


def schema(name):
    return {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}


TOOLS = [
    {"name": "note", "description": "make an empty file", "inputSchema": schema("title")},
    {"name": "remove", "description": "remove a file", "inputSchema": schema("path")},
    {"name": "approve", "description": "may it run", "inputSchema": {"type": "object"}},
]


def answer(message):
    method, params = message["method"], message.get("params") or {}
    if method == "initialize":
        version = params.get("protocolVersion", "2025-06-18")
        about = {"name": "lab", "version": "1"}
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        given = params.get("arguments") or {}
        if params.get("name") == "approve":
            said = {"behavior": "allow", "updatedInput": given.get("input") or {}}
            return {"content": [{"type": "text", "text": json.dumps(said)}]}
        if params.get("name") == "note":
            open(given["title"], "w").close()
        else:
            os.remove(given["path"])
        return {"content": [{"type": "text", "text": "done"}]}
    return {}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        result = {"jsonrpc": "2.0", "id": message["id"], "result": answer(message)}
        print(json.dumps(result), flush=True)
