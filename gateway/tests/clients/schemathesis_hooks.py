"""What schemathesis is told of the document of calls that the document cannot say: how calls are signed, and which
parameters do not go together.

Parameters of the signature are taken out of the document, so that none is made up, and each request of a signed call is
signed as it is sent: its query and its body, byte by byte (docs/rules/program-api.md "Signing").
"""

import hashlib
import hmac
import json
import os
import time

import requests.auth
import schemathesis

KEY, SECRET = json.loads(os.environ["API_KEYS"])[0]
SIGNING = {"recvWindow", "timestamp", "signature"}
METHODS = {"get", "post", "put", "delete"}
# By method and path: whether a call is signed besides having a key.
_signed = {}


@schemathesis.hook
def before_load_schema(_, raw_schema):
    for path, operations in raw_schema["paths"].items():
        for method in METHODS & set(operations):
            operation = operations[method]
            if "security" in operation:
                _signed[method.upper(), path] = _without_signing(operation)


def _without_signing(operation):
    """Takes the parameters of the signature out; whether the time was asked for."""
    parameters = operation.get("parameters", [])
    names = {parameter["name"] for parameter in parameters if parameter["required"]}
    operation["parameters"] = [parameter for parameter in parameters if parameter["name"] not in SIGNING]
    for content in operation.get("requestBody", {}).get("content", {}).values():
        form = content["schema"]
        names |= set(form.get("required", []))
        form["properties"] = {name: kind for name, kind in form.get("properties", {}).items() if name not in SIGNING}
        form["required"] = [name for name in form.get("required", []) if name not in SIGNING]
    return "timestamp" in names


class Signature(requests.auth.AuthBase):
    def __call__(self, request):
        address, _, query = request.url.partition("?")
        call = request.method, "/" + address.split("/", 3)[3]
        if call not in _signed:
            return request
        request.headers["X-MBX-APIKEY"] = KEY
        if _signed[call]:
            query += ("&" if query else "") + f"timestamp={time.time_ns() // 1_000_000}"
            body = request.body or b""
            payload = query.encode() + (body.encode() if isinstance(body, str) else body)
            signature = hmac.new(SECRET.encode(), payload, hashlib.sha256).hexdigest()
            request.url = f"{address}?{query}&signature={signature}"
        return request


schemathesis.auth.set_from_requests(Signature())


@schemathesis.hook
def before_call(_, case, __):
    """Of a request that is meant to be good, leaves out what does not go together with the rest of it."""
    if case.meta is None or not case.meta.generation.mode.is_positive or not isinstance(case.query, dict):
        return
    query, path = case.query, case.operation.path
    if "symbol" in query:
        query.pop("symbols", None)
    if "symbols" in query:
        query["symbols"] = "[" + ",".join(dict.fromkeys(query["symbols"].strip("[]").split(","))) + "]"
    if path.endswith(("/exchangeInfo", "/executionRules")) and {"symbol", "symbols"} & set(query):
        query.pop("permissions", None)
        query.pop("symbolStatus", None)
    # Whether a stock trades is a matter of the hour, and it has no reference price before its first session.
    if {"symbol", "symbols"} & set(query):
        query.pop("symbolStatus", None)
    if path.endswith("/referencePrice"):
        query["symbol"] = "BTCUSDT"
    if path.endswith("/aggTrades") and "fromId" in query:
        query.pop("startTime", None)
        query.pop("endTime", None)
    if path.endswith(("/ticker", "/tradingDay")) and not {"symbol", "symbols"} & set(query):
        query["symbol"] = "BTCUSDT"
    if "symbol" in query and "symbolStatus" in query:
        query["symbolStatus"] = "TRADING"
