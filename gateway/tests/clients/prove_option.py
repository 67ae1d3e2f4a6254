"""prove_option.py FILE: checks a seconds option's proof; its signature is left to `exchange prove`. 0: it holds, 1: not, 2: unreadable."""
import hashlib, json, struct, sys
from decimal import ROUND_HALF_UP, Decimal
S, sha = 10**9, lambda *parts: hashlib.sha256(b"".join(parts)).digest()
def units(text):
    number = Decimal(text) * 10**8
    if number != int(number) or f"{Decimal(text):f}" != text: raise ValueError(text)
    return int(number)
def climb(leaf, place, width, path):
    at, path = sha(b"\0", bytes.fromhex(leaf)), [bytes.fromhex(step) for step in path]
    while width > 1:
        if place % 2 or place + 1 < width:
            at = sha(b"\1", path.pop(0), at) if place % 2 else sha(b"\1", at, path.pop(0))
        place, width = place // 2, (width + 1) // 2
    return None if path else at
def check(p):
    order, told, ticks, price, root = p["order"], p["result"], p["ticks"], p["price"]["id"], p["root"]
    yield "form", (p["proof"], order.get("coupon")) in (("seconds/1", None), ("seconds/2", True))
    opened, expires, before = int(order["opened_ns"]), int(order["expires_ns"]), bytes.fromhex(p["previous"])
    times, wide = [int(tick["time_ns"]) for tick in ticks], lambda text: units(text).to_bytes(16, "big")
    for n, tick in enumerate(ticks):
        sources = b"".join(bytes([source]) + wide(of) for source, of in tick["sources"])
        before = sha(before, struct.pack(">QQH", tick["seq"], times[n], price), wide(tick["index"]), sources)
        yield f"hash of tick {tick['seq']}", before.hex() == tick["hash"] and tick["seq"] == order["open_tick"] + n
    at_opening = times[0] <= opened <= times[0] + 2 * S and all(time >= opened for time in times[1:])
    yield "opened at the newest tick", ticks[0]["index"] == order["open_price"] and at_opening and times == sorted(times)
    yield "duration in whole seconds", expires > opened and (expires - opened // 10**6 * 10**6) % S == 0
    silent, after = told.get("silent_upto_ns"), sum(time > expires for time in times)
    yield "one tick after the expiry", after == (0 if silent else 1) and (not silent or int(silent) > expires)
    last = [n for n, time in enumerate(times) if time <= expires][-1]
    close = ticks[last] if expires - times[last] <= 5 * S else {"seq": None, "index": None}
    yield "deciding tick", (told["close_tick"], told["close_price"]) == (close["seq"], close["index"])
    stake, fee, moved = units(order["stake"]), units(order["fee"]), units(close["index"] or "0") - units(order["open_price"])
    own, profit = 0 if order.get("coupon") else stake, int((Decimal(stake) * Decimal(order["ratio_pct"]) / 100).to_integral_value(ROUND_HALF_UP))
    outcome = "void" if not close["seq"] else "tie" if not moved else "win" if (moved > 0) == (order["side"] == "rise") else "loss"
    yield f"outcome {outcome}", told["outcome"] == outcome and order["side"] in ("rise", "fall") and stake > 0 and fee >= 0
    yield "payment", units(told["paid"]) == {"win": own + profit, "loss": 0, "tie": own, "void": own + fee}[outcome]
    if root:
        kind, of, hour, first, end, tip, top = struct.unpack(">11sHQQQ32s32s", bytes.fromhex(root["statement"]))
        leaf = [tick for tick, time in zip(ticks, times) if time // (3600 * S) == hour][-1]
        yield "the hour's statement", (kind, of, first + root["place"]) == (b"xng/ticks/1", price, leaf["seq"])
        yield "the hour's root", climb(leaf["hash"], root["place"], end - first + 1, root["path"]) == top
        yield "the hour's last hash", leaf["seq"] < end or leaf["hash"] == tip.hex()
try:
    proof = json.load(open(sys.argv[1], encoding="utf-8"))
    steps = list(check(proof if "proof" in proof else proof["message"]))
except (OSError, ValueError, LookupError, TypeError, ArithmeticError, AttributeError, struct.error) as error:
    sys.exit(print(f"not readable as a proof: {error!r}") or 2)
print("\n".join(f"{'ok' if holds else 'WRONG'}: {step}" for step, holds in steps))
sys.exit(0 if all(holds for _, holds in steps) else 1)
