"""@binance/spot, the official client of JavaScript, as both of its scripts use it: through js/binance_spot.mjs."""

import re

import scripted
from common import BASE, KEYS, WS, WS_API

ADDRESSES = {"base": BASE, "api": WS_API, "streams": WS}
NUMBERS = re.compile(r".*(Qty|[Pp]rice|quantity|Bips)$")


def typed(fields):
    """Fields with the types that its methods want; none that are texts of numbers."""
    return {name: float(value) if NUMBERS.match(name) else value for name, value in fields.items() if value is not None}


class Client:
    """A client with a key, or with none; `heard` gets the account's events."""

    def __init__(self, program, key=None):
        self.program, self.number = program, program.make(ADDRESSES, list(key or KEYS[0]))

    def rest(self, method, **fields):
        return self.program.ask(self.number, "rest", method, typed(fields))

    def socket(self, method, **fields):
        return self.program.ask(self.number, "socket", method, typed(fields))

    def first(self, method, **fields):
        """The first event of a stream."""
        return self.program.ask(self.number, "first", method, fields)

    def close(self):
        self.program.ask(self.number, "close")


def program(hear=print):
    return scripted.Program("binance_spot.mjs", hear)
