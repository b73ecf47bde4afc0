"""What heads are for: kinds found on one text, and roles scored over many generated probes.

    measure(lab)                the roles of every head, as a value that can be kept
    example(lab, "induction")   a probe on which a head of this role shows it
    suggest(weights)            a head of each plain kind on one text

A role says where a head looks, never what hangs on it: for that, ablate the head.
"""

from attnlab.analysis.roles.found import HeadRole, HeadRoles
from attnlab.analysis.roles.kinds import ROLES, Role, role_named
from attnlab.analysis.roles.minimal import pairs
from attnlab.analysis.roles.plan import example, example_probe
from attnlab.analysis.roles.scan import head_roles, measure
from attnlab.analysis.roles.simple import focused, next_token, previous_token, resting, suggest
from attnlab.analysis.roles.where import one_look

__all__ = [
    "ROLES",
    "HeadRole",
    "HeadRoles",
    "Role",
    "example",
    "example_probe",
    "focused",
    "head_roles",
    "measure",
    "next_token",
    "one_look",
    "pairs",
    "previous_token",
    "resting",
    "role_named",
    "suggest",
]
