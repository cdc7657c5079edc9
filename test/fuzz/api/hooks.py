"""What schemathesis is told beside its configuration: where requests come from, and one check of our own."""

import os
import random

import schemathesis
from schemathesis.core.failures import Failure

_addresses = random.Random(1)
# By operationId; each with its reason in exceptions.ts.
_excused = set(os.environ.get("BRIDGE_FUZZ_EXCUSED", "").split(","))


@schemathesis.hook
def before_call(context, case, kwargs):
    """Each request comes from another network, so that what is limited by network does not end the run."""
    headers = dict(case.headers or {})
    headers["X-Forwarded-For"] = f"11.{_addresses.randrange(256)}.{_addresses.randrange(256)}.1"
    case.headers = headers


class RefusedByItsOwnContract(Failure):
    """The schema took what the service's contract did not."""

    __slots__ = ()


@schemathesis.check
def fits_its_contract(ctx, response, case):
    """
    A 400 on data that fits the schema may be a judgement (`invalid_domain`), and `positive_data_acceptance` is told so for
    some operations; `invalid_request` and `unknown_parameter` say that the contract and its schema differ, which no operation is excused from.
    """
    if case.operation.definition.raw.get("operationId") in _excused:
        return None
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code != 400:
        return None
    try:
        problem = response.json()
    except ValueError:
        return None
    if problem.get("code") in ("invalid_request", "unknown_parameter"):
        raise RefusedByItsOwnContract(
            operation=case.operation.label,
            title="Refused by its own contract",
            message=str(problem.get("detail")),
        )
    return None
