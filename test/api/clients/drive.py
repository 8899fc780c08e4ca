"""Drives a client made by openapi-python-client, which the test puts next to a copy of this file."""

import json
import os
from datetime import datetime, timezone

from generated import AuthenticatedClient
from generated.api.common_business_services import bulk_lookup_cbs, list_cbs_ranges, lookup_cbs, search_cbs
from generated.api.ip_rulesets import (
    add_rule,
    batch_rules,
    check_rules,
    create_ruleset,
    delete_rule,
    delete_ruleset,
    export_rules,
    get_rule,
    import_rules,
    list_rules,
    list_rulesets,
    replace_rules,
    update_rule,
    update_ruleset,
)
from generated.api.threat_intelligence import bulk_lookup, bulk_lookup_alias, lookup_ip
from generated.models import (
    AddIPRequest,
    BatchAdd,
    BatchDelete,
    BatchRequest,
    BulkThreatList,
    CbsBulkRequest,
    CheckManyRequest,
    CheckOneRequest,
    ConflictMode,
    ConflictProblem,
    CreateRulesetRequest,
    ListCbsRangesFamily,
    ListedRule,
    Purpose,
    ReplaceRequest,
    ShrinksTooMuchProblem,
    ThreatError,
    UpdateRuleRequest,
    UpdateRulesetRequest,
    ValidationErrorProblem,
)


def client_of(key):
    return AuthenticatedClient(base_url=os.environ["BASE_URL"], token=key, prefix="", auth_header_name="X-API-Key")


client = client_of(os.environ["KEY"])
steps = {}


def time(value):
    return None if value is None else value.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def problem(step, answer, member=None):
    document = answer.parsed.to_dict()
    steps[step] = [answer.status_code, document["type"], *([] if member is None else [member in document])]


created = create_ruleset.sync_detailed(client=client, body=CreateRulesetRequest(name="generated", purpose=Purpose.BLOCKLIST))
ruleset = created.parsed
steps["create"] = [created.status_code, ruleset.name, ruleset.purpose]


def add(step, **members):
    answer = add_rule.sync_detailed(ruleset.id, client=client, body=AddIPRequest(**members))
    steps[step] = [answer.status_code, answer.parsed.action, time(answer.parsed.rule.expires_at)]


add("add_permanent", ip="192.0.2.1", name="first")
add("extend_permanent", ip="192.0.2.1", expires_in_days=1, conflict_resolution=ConflictMode.EXTEND)
add("override_in_a_day", ip="192.0.2.1", name="first", expires_in_days=1, conflict_resolution=ConflictMode.OVERRIDE)
add("extend_until", ip="192.0.2.1", expires_at=datetime(2026, 12, 31, tzinfo=timezone.utc))
add("skip", ip="192.0.2.1", name="other", conflict_resolution=ConflictMode.SKIP)

failed = add_rule.sync_detailed(ruleset.id, client=client, body=AddIPRequest(ip="192.0.2.1", conflict_resolution=ConflictMode.FAIL))
assert isinstance(failed.parsed, ConflictProblem)
steps["fail"] = [failed.status_code, failed.parsed.type_, failed.parsed.existing.ip]

for ip in ["192.0.2.2", "2001:db8::/32"]:
    assert add_rule.sync_detailed(ruleset.id, client=client, body=AddIPRequest(ip=ip)).status_code == 201
ips, page = [], 1
while True:
    one = list_rules.sync(ruleset.id, client=client, page=page, page_size=2)
    ips += [rule.ip for rule in one.items]
    if one.next_ is None:
        break
    page += 1
steps["pages"] = [one.count, ips]
active = list_rules.sync_detailed(ruleset.id, client=client, active_only=True)
steps["active"] = [active.status_code, active.parsed.count]

got = get_rule.sync_detailed(ruleset.id, client=client, ip="192.0.2.1")
steps["get"] = [got.status_code, got.parsed.name, time(got.parsed.expires_at)]
updated = update_rule.sync_detailed(ruleset.id, client=client, ip="192.0.2.1", body=UpdateRuleRequest(name="renamed", expires_at=None))
steps["update"] = [updated.status_code, updated.parsed.name, time(updated.parsed.expires_at)]

one = check_rules.sync_detailed(ruleset.id, client=client, body=CheckOneRequest(ip="192.0.2.1"))
steps["check_one"] = [one.status_code, one.parsed.matched, one.parsed.rule.ip]
many = check_rules.sync_detailed(ruleset.id, client=client, body=CheckManyRequest(ips=["2001:db8::1", "198.51.100.1"]))
steps["check_many"] = [many.status_code, many.parsed["2001:db8::1"].matched, many.parsed["198.51.100.1"].matched]


def batch(*items):
    return batch_rules.sync_detailed(ruleset.id, client=client, body=BatchRequest(items=list(items)))


done = batch(BatchAdd(op="add", ip="192.0.2.3"), BatchDelete(op="delete", ip="192.0.2.2"))
steps["batch"] = [done.status_code, [result.action for result in done.parsed.results]]
refused = batch(BatchAdd(op="add", ip="192.0.2.9"), BatchAdd(op="add", ip="192.0.2.1", conflict_resolution=ConflictMode.FAIL))
steps["batch_refused"] = [refused.status_code, refused.parsed.type_, [result.action for result in refused.parsed.results]]


def replace(rules, **options):
    return replace_rules.sync_detailed(ruleset.id, client=client, body=ReplaceRequest(rules=rules), **options)


listed = [ListedRule(ip="192.0.2.1", name="renamed"), ListedRule(ip="192.0.2.2"), ListedRule(ip="2001:db8::/32")]
dry = replace(listed, dry_run=True)
steps["dry_run"] = [dry.status_code, dry.parsed.added, dry.parsed.removed, dry.parsed.plan.removed[0].ip]
shrinking = replace([])
assert isinstance(shrinking.parsed, ShrinksTooMuchProblem)
steps["shrinks"] = [shrinking.status_code, shrinking.parsed.type_, shrinking.parsed.total_rules, shrinking.parsed.removed]
replaced = replace([*listed, ListedRule(ip="192.0.2.3")])
steps["replace"] = [replaced.status_code, replaced.parsed.added, replaced.parsed.removed, replaced.parsed.unchanged]

imported = import_rules.sync_detailed(ruleset.id, client=client, body=ReplaceRequest(rules=[ListedRule(ip="192.0.2.4"), ListedRule(ip="192.0.2.2")]))
steps["import"] = [imported.status_code, imported.parsed.created, imported.parsed.skipped]
# Its generator ignores text bodies; its HTTP client can send them nevertheless.
rules = f"/v1/edl/ip-rulesets/{ruleset.id}/rules"
text = client.get_httpx_client().post(f"{rules}:import", content="192.0.2.5\n192.0.2.2\n", headers={"Content-Type": "text/plain"})
steps["import_text"] = [text.status_code, text.json()["created"], text.json()["skipped"]]
assert delete_rule.sync_detailed(ruleset.id, client=client, ip="192.0.2.5").status_code == 204
exported = export_rules.sync_detailed(ruleset.id, client=client)
steps["export"] = [exported.status_code, exported.content.decode()]
as_text = client.get_httpx_client().get(rules, headers={"Accept": "text/plain"})
steps["list_text"] = [as_text.status_code, len(as_text.text.split())]

steps["delete"] = [delete_rule.sync_detailed(ruleset.id, client=client, ip="192.0.2.4").status_code]
problem("gone", get_rule.sync_detailed(ruleset.id, client=client, ip="192.0.2.4"))

cbs = lookup_cbs.sync_detailed(client=client, ip="1.1.1.1")
steps["cbs_lookup"] = [cbs.status_code, cbs.parsed.found, cbs.parsed.cidr, cbs.parsed.providers]
cbs_many = bulk_lookup_cbs.sync_detailed(client=client, body=CbsBulkRequest(ips=["1.1.1.1", "198.51.100.1"]))
steps["cbs_bulk"] = [cbs_many.status_code, cbs_many.parsed["1.1.1.1"].found, cbs_many.parsed["198.51.100.1"].found]
search = search_cbs.sync_detailed(client=client, q="cloudflare")
steps["cbs_search"] = [search.status_code, search.parsed.items[0].id]
ranges = list_cbs_ranges.sync_detailed(client=client, id="/cdn/cloudflare", family=ListCbsRangesFamily.VALUE_4)
steps["cbs_ranges"] = [ranges.status_code, ranges.parsed.count, [each.cidr for each in ranges.parsed.items]]

cti = lookup_ip.sync_detailed("192.0.2.2", client=client)
steps["cti_lookup"] = [cti.status_code, cti.parsed.ip, cti.parsed.seen]
cti_many = bulk_lookup.sync_detailed(client=client, body=BulkThreatList(ips=["192.0.2.2", "8.8.8.8"]))
steps["cti_bulk"] = [cti_many.status_code, cti_many.parsed["192.0.2.2"].seen, cti_many.parsed["8.8.8.8"].seen]
cti_list = bulk_lookup_alias.sync_detailed(client=client, body=["192.0.2.2"])
steps["cti_bulk_list"] = [cti_list.status_code, cti_list.parsed["192.0.2.2"].seen]
cti_bad = lookup_ip.sync_detailed("x", client=client)
assert isinstance(cti_bad.parsed, ThreatError)
steps["cti_invalid"] = [cti_bad.status_code, cti_bad.parsed.message != "" and cti_bad.parsed.request_id != ""]

invalid = add_rule.sync_detailed(ruleset.id, client=client, body=AddIPRequest(ip="10.0.0.1/8"))
assert isinstance(invalid.parsed, ValidationErrorProblem)
steps["invalid"] = [invalid.status_code, invalid.parsed.type_, len(invalid.parsed.validation_errors["ip"])]
problem("no_key", list_rulesets.sync_detailed(client=client_of("")), "request_id")
body = CreateRulesetRequest(name="x", purpose=Purpose.ALLOWLIST)
problem("read_only", create_ruleset.sync_detailed(client=client_of(os.environ["READ_KEY"]), body=body), "request_id")
problem("changed", update_ruleset.sync_detailed(ruleset.id, client=client, body=UpdateRulesetRequest(name="x"), if_match='"0-0"'))
problem("too_large", add_rule.sync_detailed(ruleset.id, client=client, body=AddIPRequest(ip="192.0.2.7", name="x" * 100_000)))
wrong = client.get_httpx_client().post(rules, content="<ip/>", headers={"Content-Type": "application/xml"})
steps["wrong_type"] = [wrong.status_code, wrong.json()["type"]]
assert add_rule.sync_detailed(ruleset.id, client=client, body=AddIPRequest(ip="192.0.2.7"), idempotency_key="python").status_code == 201
problem("reused", add_rule.sync_detailed(ruleset.id, client=client, body=AddIPRequest(ip="192.0.2.8"), idempotency_key="python"))
limited = client_of(os.environ["LIMITED_KEY"])
assert list_rulesets.sync_detailed(client=limited).status_code == 200
problem("too_many", list_rulesets.sync_detailed(client=limited), "request_id")
problem("too_long", search_cbs.sync_detailed(client=client, q="x" * 9000))

steps["delete_ruleset"] = [delete_ruleset.sync_detailed(ruleset.id, client=client).status_code]
print(json.dumps(steps))
