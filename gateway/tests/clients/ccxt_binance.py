"""ccxt's clients of binance: those of Python or, where run.py says so, those of JavaScript, which answer and raise as
Python's do; one is made of the other, so their methods have the same parameters in the same order.
"""

import asyncio
import functools
import inspect
import os

import ccxt
import ccxt.pro
import scripted

OF_JAVASCRIPT = os.environ.get("LANGUAGE_OF_CLIENT") == "javascript"


@functools.cache
def program():
    return scripted.Program("ccxt.mjs")


def camel(name):
    first, *rest = name.split("_")
    return first + "".join("OHLCV" if word == "ohlcv" else word.capitalize() for word in rest)


def raised(error):
    """The error as Python's ccxt has it."""
    return getattr(ccxt, error.kind, Exception)(str(error))


class Script:
    """A client of JavaScript; its methods are coroutines for ccxt.pro."""

    def __init__(self, kind, settings):
        self.kind, self.number = kind, program().make(kind, settings)

    def __getattr__(self, method):
        # What has no unified method is named by the path, in both languages.
        if method.startswith(("public_", "private_")):
            return lambda *words: self._ask(method, *words)
        signature = inspect.signature(getattr(ccxt.binance if self.kind == "rest" else ccxt.pro.binance, method))

        def call(*words, **fields):
            given = signature.bind(self, *words, **fields)
            given.apply_defaults()
            return self._ask(camel(method), *given.args[1:])

        return call

    def _ask(self, method, *words):
        if self.kind == "rest":
            try:
                return program().ask(self.number, method, *words)
            except scripted.Raised as error:
                raise raised(error) from error
        return self._wait(program().begin(self.number, method, *words))

    async def _wait(self, answer):
        try:
            return await asyncio.wrap_future(answer)
        except scripted.Raised as error:
            raise raised(error) from error


def rest(settings):
    return Script("rest", settings) if OF_JAVASCRIPT else ccxt.binance(settings)


def pro(settings):
    return Script("pro", settings) if OF_JAVASCRIPT else ccxt.pro.binance(settings)
