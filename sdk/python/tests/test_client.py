"""The Python SDK against a registry that stumbles as registries and networks do, waiting and giving way alike."""

import asyncio
import copy
import json
import os
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import agent_web_bridge as sdk
from agent_web_bridge._verify.codec import canonicalize, parse_canonical
from agent_web_bridge.verify import (
    follow_checkpoint,
    verify_checkpoint,
    verify_consistency,
    verify_evidence,
    verify_observations,
)

GRANT = (200, {"type": "auth_success", "session": {"token": "t", "session_id": "s-1", "siteId": "shop.example", "expiresIn": 3600, "permissions": {"navigate": True, "click": False}}}, {})


def problem(status, code, **headers):
    return status, {"code": code, "detail": f"It is {code}.", "status": status}, {"x-request-id": "request-1", **headers}


def done(**result):
    return 200, {"type": "action_result", "success": True, "result": {"url": "https://shop.example/", **result}}, {}


class Stumbling:
    """A registry that gives these answers in turn, and what it was asked."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                length = int(self.headers.get("content-length", 0))
                body = json.loads(self.rfile.read(length)) if length else None
                outer.asked.append({"path": self.path, "headers": self.headers, "body": body})
                answer = outer.answers.pop(0) if outer.answers else problem(500, "internal")
                if answer == "cut":
                    self.close_connection = True
                    self.connection.close()
                    return
                status, reply, headers = answer
                data = json.dumps(reply).encode()
                self.send_response(status)
                for name, value in {"content-length": str(len(data)), **headers}.items():
                    self.send_header(name.replace("_", "-"), value)
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = answer

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def bridge(self, kind=sdk.Bridge, **options):
        made = kind(self.url, wallet={"shop.example": "bridge_lic_1"}, **options)
        made._calls.transport.random = lambda: 0.01
        return made


class Errors(unittest.TestCase):
    def test_are_classes_by_code(self):
        for status, code, kind in [
            (400, "invalid_domain", sdk.InvalidRequestError),
            (422, "idempotency_conflict", sdk.InvalidRequestError),
            (401, "authentication_required", sdk.AuthenticationError),
            (401, "key_revoked", sdk.AuthenticationError),
            (403, "permission_denied", sdk.PermissionDeniedError),
            (404, "no_enabled_site", sdk.NotFoundError),
            (409, "proof_outdated", sdk.ConflictError),
            (409, "unknown_outcome", sdk.UnknownOutcomeError),
            (500, "internal", sdk.UnavailableError),
        ]:
            with self.subTest(code), Stumbling(problem(status, code)) as registry, registry.bridge() as bridge:
                with self.assertRaises(kind) as caught:
                    bridge.verdict("shop.example")
                error = caught.exception
                self.assertEqual((error.code, error.status, error.request_id), (code, status, "request-1"))
                self.assertEqual(error.next, f"It is {code}.")
                self.assertEqual(len(registry.asked), 1)

    def test_an_answer_of_no_connection(self):
        with sdk.Bridge("http://127.0.0.1:9", retries=0) as bridge, self.assertRaises(sdk.ConnectionFailedError):
            bridge.verdict("shop.example")


class SentAgain(unittest.TestCase):
    def test_a_read_after_faults_that_pass(self):
        with Stumbling(problem(503, "unavailable"), "cut", (200, {"results": []}, {})) as registry, registry.bridge() as bridge:
            self.assertEqual(bridge.search("tea", near="48.2,16.37,50", min_ring=3), [])
            paths = {each["path"] for each in registry.asked}
            self.assertEqual((len(registry.asked), len(paths)), (3, 1))
            self.assertIn("trust_ring=3", paths.pop())

    def test_at_most_three_times(self):
        with Stumbling(*[problem(503, "unavailable")] * 9) as registry, registry.bridge() as bridge:
            with self.assertRaises(sdk.UnavailableError):
                bridge.verdict("shop.example")
            self.assertEqual(len(registry.asked), 4)

    def test_nothing_where_a_longer_wait_is_asked_for(self):
        with Stumbling(problem(429, "quota_exceeded", retry_after="86400")) as registry, registry.bridge() as bridge:
            with self.assertRaises(sdk.RateLimitError) as caught:
                bridge.verdict("shop.example")
            self.assertEqual((caught.exception.retry_after, len(registry.asked)), (86_400, 1))

    def test_an_action_under_its_one_key(self):
        answers = [GRANT, "cut", problem(409, "idempotency_in_progress", retry_after="0"), done()]
        with Stumbling(*answers) as registry, registry.bridge() as bridge:
            bridge.open("shop.example").do("order-tea", {"tea": "assam"}, confirm_total="14.90 EUR")
            sent = registry.asked[1:]
            self.assertEqual(len(sent), 3)
            self.assertEqual(len({each["headers"]["idempotency-key"] for each in sent}), 1)
            expected = {"action": "order-tea", "context": {"tea": "assam"}, "confirm_total": "14.90 EUR"}
            self.assertEqual([each["body"] for each in sent], [expected] * 3)

    def test_never_what_has_an_unknown_outcome(self):
        with Stumbling(GRANT, problem(409, "unknown_outcome"), done()) as registry, registry.bridge() as bridge:
            with self.assertRaises(sdk.UnknownOutcomeError):
                bridge.open("shop.example").do("order-tea")
            self.assertEqual(len(registry.asked), 2)


class Sessions(unittest.TestCase):
    def test_that_ended_are_opened_anew_and_what_rests_on_the_page_is_told_of(self):
        ended = problem(401, "authentication_required")
        with Stumbling(GRANT, done(), ended, GRANT, done()) as registry, registry.bridge() as bridge:
            with bridge.open("shop.example") as session:
                session.navigate("/")
                with self.assertRaises(sdk.SessionRestartedError):
                    session.do("submit-checkout", {"name": "Ada"})
                session.navigate("/")
            paths = [each["path"].rsplit("/", 1)[1] for each in registry.asked]
            self.assertEqual(paths, ["authenticate", "execute", "execute", "authenticate", "execute"])
            with self.assertRaises(sdk.AuthenticationError) as caught:
                session.navigate("/")
            self.assertEqual(caught.exception.code, "session_closed")

    def test_say_why_an_action_was_not_done(self):
        failed = {"url": "https://shop.example/", "error": {"code": "http_status", "message": "500", "request_sent": True}}
        with Stumbling(GRANT, (200, {"success": False, "result": failed}, {})) as registry, registry.bridge() as bridge:
            with self.assertRaises(sdk.ActionError) as caught:
                bridge.open("shop.example").do("submit-buy")
            self.assertEqual((caught.exception.code, caught.exception.request_sent), ("http_status", True))

    def test_need_a_license(self):
        with Stumbling() as registry, registry.bridge() as bridge:
            with self.assertRaises(sdk.AuthenticationError) as caught:
                bridge.open("other.example")
            self.assertEqual(caught.exception.code, "license_missing")

    def test_give_way(self):
        async def run(registry):
            async with registry.bridge(sdk.AsyncBridge) as bridge:
                async with await bridge.open("shop.example") as session:
                    return await asyncio.gather(session.read(), session.read("#price"))

        with Stumbling(GRANT, done(), problem(503, "unavailable"), done()) as registry:
            self.assertEqual(len(asyncio.run(run(registry))), 2)
            self.assertEqual(len(registry.asked), 4)


def called(**value):
    return 200, {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "said"}], "structuredContent": value}}, {}


def refused(code, status, **more):
    error = {"code": code, "status": status, "detail": f"It is {code}.", "next": "Ask.", **more}
    return 200, {"jsonrpc": "2.0", "id": 1, "result": {"isError": True, "content": [], "_meta": {"bridge/error": error}}}, {}


class Tools(unittest.TestCase):
    def test_are_the_same_in_each_format(self):
        with Stumbling() as registry, registry.bridge() as bridge:
            shown = bridge.tools("mcp").definitions
            anthropic = [{**each, "inputSchema": each["input_schema"]} for each in bridge.tools("anthropic").definitions]
            self.assertEqual([{name: each[name] for name in shown[0]} for each in anthropic], shown)
            openai = [each["function"] for each in bridge.tools("openai").definitions]
            self.assertEqual([each["parameters"] for each in openai], [each["inputSchema"] for each in shown])

    def test_give_faults_as_results(self):
        with Stumbling(refused("no_enabled_site", 404), (400, {"jsonrpc": "2.0"}, {})) as registry, registry.bridge() as bridge:
            tools = bridge.tools("openai")
            for name, args, code in [
                ("buy_everything", {}, "unknown_tool"),
                ("search_sites", "{", "invalid_json"),
                ("search_sites", "[]", "invalid_request"),
                ("site_verdict", {"domain": "shop.example"}, "no_enabled_site"),
                ("site_verdict", {"domain": "shop.example"}, "invalid_reply"),
            ]:
                result = tools.call(name, args)
                value = result.value
                self.assertTrue(result.is_error and value["next"])
                text = f"{value['code']}: {value['detail']}\nNext: {value['next']}"
                self.assertEqual((value["code"], result.text), (code, text))
            self.assertEqual(len(registry.asked), 2)

    def test_send_the_license_of_the_site_that_is_opened(self):
        with Stumbling(called(session="t"), called()) as registry, registry.bridge() as bridge:
            tools = bridge.tools("mcp")
            self.assertEqual(tools.call("open_session", '{"domain":"shop.example"}').value, {"session": "t"})
            tools.call("site_verdict", {"domain": "shop.example"})
            metas = [each["body"]["params"]["_meta"] for each in registry.asked]
            self.assertEqual([each.get("bridge/license") for each in metas], ["bridge_lic_1", None])

    def test_send_an_action_again_under_its_one_key(self):
        busy = refused("idempotency_in_progress", 409, retry_after_seconds=0)
        with Stumbling("cut", busy, called(success=True), *["cut"] * 4) as registry, registry.bridge() as bridge:
            tools, order = bridge.tools("mcp"), {"session": "t", "action": "order-tea"}
            self.assertFalse(tools.call("do_action", order).is_error)
            lost = tools.call("do_action", order)
            keys = [each["body"]["params"]["arguments"]["idempotency_key"] for each in registry.asked]
            self.assertEqual((len(keys), len(set(keys[:3])), len(set(keys[3:])), len(set(keys))), (7, 1, 1, 2))
            self.assertIn(f"Call do_action again with idempotency_key {keys[3]}.", lost.text)

    def test_never_send_again_what_has_an_unknown_outcome(self):
        with Stumbling(refused("unknown_outcome", 409), called()) as registry, registry.bridge() as bridge:
            result = bridge.tools("mcp").call("do_action", {"session": "t", "action": "order-tea"})
            self.assertEqual((result.value["code"], len(registry.asked)), ("unknown_outcome", 1))


class CosignedCheckpoints(unittest.TestCase):
    vectors = json.loads(Path(os.environ["VECTORS"]).with_name("cosigned.json").read_text())
    cases = vectors["cases"]

    def judged(self, case):
        return verify_checkpoint(case["note"], case["policy"], now=case["now"])

    def test_are_judged_as_by_every_sdk(self):
        for case in self.cases:
            with self.subTest(case["name"]):
                if "step" in case:
                    with self.assertRaises(sdk.VerificationError) as caught:
                        self.judged(case)
                    self.assertEqual(caught.exception.step, case["step"])
                else:
                    self.assertEqual(sorted(self.judged(case)["witnesses"]), case["witnesses"])

    def test_are_held_to_the_last_one_that_was_seen_as_by_every_sdk(self):
        origin = self.cases[0]["note"].split("\n")[0]
        for case in self.vectors["followed"]:
            with self.subTest(case["name"]):
                store = {origin: case["seen"]} if "seen" in case else {}
                kept = dict(store)
                given = {"store": store, "proof": case["proof"], "now": case["now"]}
                if "step" not in case:
                    state = follow_checkpoint(case["note"], case["policy"], **given)
                    self.assertIn(store[origin], (case["note"], case.get("seen")))
                    self.assertEqual(store[origin].split("\n")[1], str(state["size"]))
                    continue
                with self.assertRaises(sdk.VerificationError) as caught:
                    follow_checkpoint(case["note"], case["policy"], **given)
                self.assertEqual((caught.exception.step, store), (case["step"], kept))
                self.assertIs(isinstance(caught.exception, sdk.TwoViewsError), case["two_views"])
                if isinstance(caught.exception, sdk.TwoViewsError):
                    both = (caught.exception.earlier, caught.exception.later)
                    self.assertEqual(both, (case["seen"], case["note"]))
                    for note in both:
                        self.assertIn(note.split("\n")[2], str(caught.exception))

    def test_of_two_histories_are_told_though_witnesses_cosigned_both(self):
        one, other = [self.judged(case) for case in self.cases if case["name"].startswith(("a quorum of two", "the other tree"))]
        larger = {**other, "size": one["size"] + 1}
        verify_consistency(one, one, [])
        for earlier, later in [(one, other), (one, larger), (larger, one), (one, {**one, "origin": "other.example/log"})]:
            with self.assertRaises(sdk.VerificationError) as caught:
                verify_consistency(earlier, later, [])
            self.assertEqual(caught.exception.step, "log")


class Observations(unittest.TestCase):
    def test_are_judged_as_by_every_sdk(self):
        for case in json.loads(Path(os.environ["VECTORS"]).with_name("observations.json").read_text())["cases"]:
            with self.subTest(case["name"]):
                given = {name: case.get(name) for name in ("log_key", "service", "follows", "seen")}
                expected = case["expected"]
                if "step" in expected:
                    with self.assertRaises(sdk.VerificationError) as caught:
                        verify_observations(case["answer"], case["domain"], **given)
                    self.assertEqual(caught.exception.step, expected["step"])
                else:
                    history = verify_observations(case["answer"], case["domain"], **given)
                    leaves = [each.leaf_index for each in history.entries]
                    self.assertEqual((leaves, history.next, history.erased), tuple(expected.values()))


class Evidence(unittest.TestCase):
    def test_is_judged_as_by_every_sdk(self):
        for case in json.loads(Path(os.environ["VECTORS"]).read_text())["cases"]:
            with self.subTest(case["name"]):
                options = copy.deepcopy(case["options"])
                given = {
                    "log_key": options["logKey"],
                    "seen": options.get("seen") or {"sites": {}, "log": None},
                    "now": options["now"] / 1_000,
                    "trust_anchors": options.get("trustAnchors"),
                    "require_dnssec": options.get("requireDnssec", False),
                }
                expected = case["expected"]
                if "step" in expected:
                    with self.assertRaises(sdk.VerificationError) as caught:
                        verify_evidence(case["evidence"], case["domain"], **given)
                    self.assertEqual(caught.exception.step, expected["step"])
                else:
                    verified = verify_evidence(case["evidence"], case["domain"], **given)
                    self.assertEqual({name: getattr(verified, name) for name in expected["ok"]}, expected["ok"])

    def test_of_another_log_is_refused_unless_its_key_is_given(self):
        case = json.loads(Path(os.environ["VECTORS"]).read_text())["cases"][0]
        options = case["options"]
        other = {"origin": "other.example", "size": 9, "root": "AAAA"}
        seen = {"sites": {}, "log": dict(other)}
        given = {"log_key": options["logKey"], "seen": seen, "now": options["now"] / 1_000, "trust_anchors": options.get("trustAnchors")}
        with self.assertRaises(sdk.VerificationError) as caught:
            verify_evidence(case["evidence"], case["domain"], pinned=False, **given)
        self.assertEqual((caught.exception.step, seen["log"]), ("log", other))
        self.assertNotEqual(verify_evidence(case["evidence"], case["domain"], pinned=True, **given).log["origin"], other["origin"])

    def test_says_that_dns_is_not_proven_any_more(self):
        case = json.loads(Path(os.environ["VECTORS"]).read_text())["cases"][0]
        options, seen = case["options"], {"sites": {}, "log": None}
        given = {"log_key": options["logKey"], "seen": seen, "now": options["now"] / 1_000, "trust_anchors": options.get("trustAnchors")}
        weaker = copy.deepcopy(case["evidence"])
        weaker["dns"] = {**weaker["dns"], "reason": "unsigned_zone", "sets": []}
        said = [verify_evidence(each, case["domain"], **given) for each in (case["evidence"], weaker, weaker, case["evidence"])]
        self.assertEqual([(each.dns, each.downgraded) for each in said], [("proven", False), ("unproven", True), ("unproven", True), ("proven", False)])

    def test_numbers_are_written_as_ecmascript_writes_them(self):
        for value, text in [
            (0.0, "0"), (-0.0, "0"), (1.0, "1"), (-1.5, "-1.5"), (1e21, "1e+21"), (1e20, "100000000000000000000"),
            (1e-6, "0.000001"), (1e-7, "1e-7"), (1.25e-9, "1.25e-9"), (123456789012345680000.0, "123456789012345680000"),
            (5e-324, "5e-324"), (1.7976931348623157e308, "1.7976931348623157e+308"), (0.1, "0.1"), (4.35, "4.35"),
            (333333333.33333329, "333333333.3333333"), (10, "10"), (1e23, "1e+23"), (9007199254740993, "9007199254740992"),
        ]:
            self.assertEqual(canonicalize(value), text)

    def test_other_spellings_are_refused(self):
        self.assertEqual(parse_canonical('{"a":1,"b":[true,null,"\\n"]}'), {"a": 1, "b": [True, None, "\n"]})
        for text in ['{"b":1,"a":2}', '{"a":1,"a":1}', '{"a": 1}', '{"a":1.0}', '{"a":NaN}', "[]", "{", '{"a":' + "[" * 100_000]:
            self.assertIsNone(parse_canonical(text))


if __name__ == "__main__":
    unittest.main()
