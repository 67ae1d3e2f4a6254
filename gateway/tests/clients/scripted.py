"""Clients of JavaScript, used from here: a process of node answers each call (js/bridge.mjs).

run.py tells by NODE and SCRIPTS what runs them and where they and their packages are.
"""

import concurrent.futures
import itertools
import json
import os
import subprocess
import threading

from common import PATIENCE_S


class Raised(Exception):
    """What a client of JavaScript threw."""

    def __init__(self, kind, text, code):
        super().__init__(text)
        self.kind, self.code = kind, code


class Program:
    """A script's process. To `hear` it hands what a client told by itself, in a thread of its own."""

    def __init__(self, script, hear=print):
        words = [os.environ["NODE"], os.path.join(os.environ["SCRIPTS"], script)]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.numbers, self.asked, self.hear = itertools.count(), {}, hear
        self.lock = threading.Lock()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            told = json.loads(line)
            if "heard" in told:
                self.hear(told["heard"])
                continue
            answer = self.asked.pop(told["id"])
            if "raised" in told:
                raised = told["raised"]
                answer.set_exception(Raised(raised["kind"], raised["text"], raised.get("code")))
            else:
                answer.set_result(told.get("is"))
        for answer in list(self.asked.values()):
            answer.set_exception(RuntimeError("the script ended"))

    def begin(self, of, method, *words):
        """Asks; the answer comes by what is given."""
        answer, number = concurrent.futures.Future(), next(self.numbers)
        self.asked[number] = answer
        line = json.dumps({"id": number, "of": of, "method": method, "words": words}, default=str)
        with self.lock:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        return answer

    def ask(self, of, method, *words):
        return self.begin(of, method, *words).result(PATIENCE_S)

    def make(self, *words):
        """A client of its own; the number that it goes by."""
        return self.ask(None, "make", *words)
