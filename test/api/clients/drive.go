// Drives a client made by oapi-codegen, which the test puts next to a copy of this file.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"ipsieve.example/tools/generated"
)

var steps = map[string]any{}

// Steps without which a flow cannot continue.
func must[Value any](value Value, err error) Value {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func require(is bool, what string) {
	if !is {
		must(0, fmt.Errorf("%s", what))
	}
}

func of[Value any](value Value) *Value { return &value }

func at(moment *time.Time) any {
	if moment == nil {
		return nil
	}
	return moment.UTC().Format("2006-01-02T15:04:05Z")
}

func clientOf(key string) *generated.ClientWithResponses {
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("X-API-Key", key)
		return nil
	}
	return must(generated.NewClientWithResponses(os.Getenv("BASE_URL"), generated.WithRequestEditorFn(withKey)))
}

// Records a rejection: its status, its type, and, if requested, whether it has a request id.
func problem(step string, response *http.Response, body []byte, withID bool) {
	var document struct {
		Type      string  `json:"type"`
		RequestID *string `json:"request_id"`
	}
	must(0, json.Unmarshal(body, &document))
	steps[step] = []any{response.StatusCode, document.Type}
	if withID {
		steps[step] = []any{response.StatusCode, document.Type, document.RequestID != nil}
	}
}

func main() {
	ctx := context.Background()
	client := clientOf(os.Getenv("KEY"))

	created := must(client.CreateRulesetWithResponse(ctx, nil, generated.CreateRulesetRequest{Name: "generated", Purpose: generated.PurposeBlocklist}))
	ruleset := created.JSON201
	steps["create"] = []any{created.StatusCode(), ruleset.Name, ruleset.Purpose}

	add := func(step string, rule generated.AddIPRequest) {
		answer := must(client.AddRuleWithResponse(ctx, ruleset.Id, nil, rule))
		result := answer.JSON200
		if answer.StatusCode() == http.StatusCreated {
			result = answer.JSON201
		}
		steps[step] = []any{answer.StatusCode(), result.Action, at(result.Rule.ExpiresAt)}
	}
	add("add_permanent", generated.AddIPRequest{Ip: "192.0.2.1", Name: of("first")})
	add("extend_permanent", generated.AddIPRequest{Ip: "192.0.2.1", ExpiresInDays: of(1), ConflictResolution: of(generated.ConflictModeExtend)})
	add("override_in_a_day", generated.AddIPRequest{Ip: "192.0.2.1", Name: of("first"), ExpiresInDays: of(1), ConflictResolution: of(generated.ConflictModeOverride)})
	add("extend_until", generated.AddIPRequest{Ip: "192.0.2.1", ExpiresAt: of(time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC))})
	add("skip", generated.AddIPRequest{Ip: "192.0.2.1", Name: of("other"), ConflictResolution: of(generated.ConflictModeSkip)})

	failed := must(client.AddRuleWithResponse(ctx, ruleset.Id, nil, generated.AddIPRequest{Ip: "192.0.2.1", ConflictResolution: of(generated.ConflictModeFail)}))
	conflict := must(failed.ApplicationproblemJSON409.AsConflictProblem())
	steps["fail"] = []any{failed.StatusCode(), conflict.Type, conflict.Existing.Ip}

	for _, ip := range []string{"192.0.2.2", "2001:db8::/32"} {
		require(must(client.AddRuleWithResponse(ctx, ruleset.Id, nil, generated.AddIPRequest{Ip: ip})).StatusCode() == 201, ip)
	}
	ips := []string{}
	for page := 1; ; page++ {
		one := must(client.ListRulesWithResponse(ctx, ruleset.Id, &generated.ListRulesParams{Page: &page, PageSize: of(2)})).JSON200
		for _, rule := range one.Items {
			ips = append(ips, rule.Ip)
		}
		if one.Next == nil {
			steps["pages"] = []any{one.Count, ips}
			break
		}
	}
	active := must(client.ListRulesWithResponse(ctx, ruleset.Id, &generated.ListRulesParams{ActiveOnly: of(true)}))
	steps["active"] = []any{active.StatusCode(), active.JSON200.Count}

	got := must(client.GetRuleWithResponse(ctx, ruleset.Id, &generated.GetRuleParams{Ip: "192.0.2.1"}))
	steps["get"] = []any{got.StatusCode(), got.JSON200.Name, at(got.JSON200.ExpiresAt)}
	// Its types only allow a member to be absent or to have a value; null is sent as text.
	never := strings.NewReader(`{"name":"renamed","expires_at":null}`)
	updated := must(client.UpdateRuleWithBodyWithResponse(ctx, ruleset.Id, &generated.UpdateRuleParams{Ip: "192.0.2.1"}, "application/json", never))
	steps["update"] = []any{updated.StatusCode(), updated.JSON200.Name, at(updated.JSON200.ExpiresAt)}

	var one, many generated.CheckRequest
	must(0, one.FromCheckOneRequest(generated.CheckOneRequest{Ip: "192.0.2.1"}))
	checked := must(client.CheckRulesWithResponse(ctx, ruleset.Id, nil, one))
	result := must(checked.JSON200.AsCheckResult())
	steps["check_one"] = []any{checked.StatusCode(), result.Matched, result.Rule.Ip}
	must(0, many.FromCheckManyRequest(generated.CheckManyRequest{Ips: []string{"2001:db8::1", "198.51.100.1"}}))
	checked = must(client.CheckRulesWithResponse(ctx, ruleset.Id, nil, many))
	results := must(checked.JSON200.AsCheckResults())
	steps["check_many"] = []any{checked.StatusCode(), results["2001:db8::1"].Matched, results["198.51.100.1"].Matched}

	var first, second, third, fourth generated.BatchRequest_Items_Item
	must(0, first.FromBatchAdd(generated.BatchAdd{Ip: "192.0.2.3", Op: generated.BatchAddOpAdd}))
	must(0, second.FromBatchDelete(generated.BatchDelete{Ip: "192.0.2.2", Op: generated.Delete}))
	batch := must(client.BatchRulesWithResponse(ctx, ruleset.Id, nil, generated.BatchRequest{Items: []generated.BatchRequest_Items_Item{first, second}}))
	steps["batch"] = []any{batch.StatusCode(), actionsOf(batch.JSON200.Results)}
	must(0, third.FromBatchAdd(generated.BatchAdd{Ip: "192.0.2.9", Op: generated.BatchAddOpAdd}))
	must(0, fourth.FromBatchAdd(generated.BatchAdd{Ip: "192.0.2.1", Op: generated.BatchAddOpAdd, ConflictResolution: of(generated.ConflictModeFail)}))
	batch = must(client.BatchRulesWithResponse(ctx, ruleset.Id, nil, generated.BatchRequest{Items: []generated.BatchRequest_Items_Item{third, fourth}}))
	refused := must(batch.ApplicationproblemJSON409.AsConflictProblem())
	steps["batch_refused"] = []any{batch.StatusCode(), refused.Type, actionsOf(*refused.Results)}

	replace := func(rules []generated.ListedRule, params *generated.ReplaceRulesParams) *generated.ReplaceRulesResponse {
		return must(client.ReplaceRulesWithResponse(ctx, ruleset.Id, params, generated.ReplaceRequest{Rules: rules}))
	}
	list := []generated.ListedRule{{Ip: "192.0.2.1", Name: of("renamed")}, {Ip: "192.0.2.2"}, {Ip: "2001:db8::/32"}}
	dry := replace(list, &generated.ReplaceRulesParams{DryRun: of(true)})
	steps["dry_run"] = []any{dry.StatusCode(), dry.JSON200.Added, dry.JSON200.Removed, dry.JSON200.Plan.Removed[0].Ip}
	shrinking := replace([]generated.ListedRule{}, nil)
	shrink := must(shrinking.ApplicationproblemJSON409.AsShrinksTooMuchProblem())
	steps["shrinks"] = []any{shrinking.StatusCode(), shrink.Type, shrink.TotalRules, shrink.Removed}
	replaced := replace(append(list, generated.ListedRule{Ip: "192.0.2.3"}), nil)
	steps["replace"] = []any{replaced.StatusCode(), replaced.JSON200.Added, replaced.JSON200.Removed, replaced.JSON200.Unchanged}

	imported := must(client.ImportRulesWithResponse(ctx, ruleset.Id, nil, generated.ReplaceRequest{Rules: []generated.ListedRule{{Ip: "192.0.2.4"}, {Ip: "192.0.2.2"}}}))
	steps["import"] = []any{imported.StatusCode(), imported.JSON200.Created, imported.JSON200.Skipped}
	text := must(client.ImportRulesWithTextBodyWithResponse(ctx, ruleset.Id, nil, "192.0.2.5\n192.0.2.2\n"))
	steps["import_text"] = []any{text.StatusCode(), text.JSON200.Created, text.JSON200.Skipped}
	require(must(client.DeleteRuleWithResponse(ctx, ruleset.Id, &generated.DeleteRuleParams{Ip: "192.0.2.5"})).StatusCode() == 204, "deleteRule")
	exported := must(client.ExportRulesWithResponse(ctx, ruleset.Id, &generated.ExportRulesParams{Format: of(generated.ExportRulesParamsFormatText)}))
	steps["export"] = []any{exported.StatusCode(), string(exported.Body)}
	asText := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Accept", "text/plain")
		return nil
	}
	listed := must(client.ListRulesWithResponse(ctx, ruleset.Id, nil, asText))
	steps["list_text"] = []any{listed.StatusCode(), len(strings.Fields(string(listed.Body)))}

	steps["delete"] = []any{must(client.DeleteRuleWithResponse(ctx, ruleset.Id, &generated.DeleteRuleParams{Ip: "192.0.2.4"})).StatusCode()}
	gone := must(client.GetRuleWithResponse(ctx, ruleset.Id, &generated.GetRuleParams{Ip: "192.0.2.4"}))
	steps["gone"] = []any{gone.StatusCode(), gone.ApplicationproblemJSON404.Type}

	lookups(ctx, client)
	problems(ctx, client, ruleset.Id)

	steps["delete_ruleset"] = []any{must(client.DeleteRulesetWithResponse(ctx, ruleset.Id, nil)).StatusCode()}
	fmt.Println(string(must(json.Marshal(steps))))
}

func actionsOf(results []generated.BatchResult) []generated.BatchResultAction {
	actions := []generated.BatchResultAction{}
	for _, result := range results {
		actions = append(actions, result.Action)
	}
	return actions
}

func lookups(ctx context.Context, client *generated.ClientWithResponses) {
	cbs := must(client.LookupCbsWithResponse(ctx, &generated.LookupCbsParams{Ip: "1.1.1.1"}))
	steps["cbs_lookup"] = []any{cbs.StatusCode(), cbs.JSON200.Found, cbs.JSON200.Cidr, cbs.JSON200.Providers}
	cbsMany := must(client.BulkLookupCbsWithResponse(ctx, nil, generated.CbsBulkRequest{Ips: []string{"1.1.1.1", "198.51.100.1"}}))
	steps["cbs_bulk"] = []any{cbsMany.StatusCode(), (*cbsMany.JSON200)["1.1.1.1"].Found, (*cbsMany.JSON200)["198.51.100.1"].Found}
	search := must(client.SearchCbsWithResponse(ctx, &generated.SearchCbsParams{Q: "cloudflare"}))
	steps["cbs_search"] = []any{search.StatusCode(), search.JSON200.Items[0].Id}
	ranges := must(client.ListCbsRangesWithResponse(ctx, &generated.ListCbsRangesParams{Id: of("/cdn/cloudflare"), Family: of(generated.ListCbsRangesParamsFamilyN4)}))
	cidrs := []string{}
	for _, each := range ranges.JSON200.Items {
		cidrs = append(cidrs, each.Cidr)
	}
	steps["cbs_ranges"] = []any{ranges.StatusCode(), ranges.JSON200.Count, cidrs}

	cti := must(client.LookupIpWithResponse(ctx, "192.0.2.2", nil))
	steps["cti_lookup"] = []any{cti.StatusCode(), cti.JSON200.Ip, cti.JSON200.Seen}
	var object, bare generated.BulkThreatRequest
	must(0, object.FromBulkThreatList(generated.BulkThreatList{Ips: []string{"192.0.2.2", "8.8.8.8"}}))
	ctiMany := must(client.BulkLookupWithResponse(ctx, nil, object))
	steps["cti_bulk"] = []any{ctiMany.StatusCode(), (*ctiMany.JSON200)["192.0.2.2"].Seen, (*ctiMany.JSON200)["8.8.8.8"].Seen}
	must(0, bare.FromBulkThreatRequest1([]string{"192.0.2.2"}))
	ctiList := must(client.BulkLookupAliasWithResponse(ctx, nil, bare))
	steps["cti_bulk_list"] = []any{ctiList.StatusCode(), (*ctiList.JSON200)["192.0.2.2"].Seen}
	bad := must(client.LookupIpWithResponse(ctx, "x", nil))
	steps["cti_invalid"] = []any{bad.StatusCode(), bad.JSON400.Message != "" && bad.JSON400.RequestId != ""}
}

func problems(ctx context.Context, client *generated.ClientWithResponses, ruleset generated.RulesetIdParameter) {
	add := func(rule generated.AddIPRequest, params *generated.AddRuleParams) *generated.AddRuleResponse {
		return must(client.AddRuleWithResponse(ctx, ruleset, params, rule))
	}
	invalid := add(generated.AddIPRequest{Ip: "10.0.0.1/8"}, nil)
	steps["invalid"] = []any{invalid.StatusCode(), invalid.ApplicationproblemJSON400.Type, len(invalid.ApplicationproblemJSON400.ValidationErrors["ip"])}
	noKey := must(clientOf("").ListRulesetsWithResponse(ctx, nil))
	problem("no_key", noKey.HTTPResponse, noKey.Body, true)
	readOnly := must(clientOf(os.Getenv("READ_KEY")).CreateRulesetWithResponse(ctx, nil, generated.CreateRulesetRequest{Name: "x", Purpose: generated.PurposeAllowlist}))
	problem("read_only", readOnly.HTTPResponse, readOnly.Body, true)
	changed := must(client.UpdateRulesetWithResponse(ctx, ruleset, &generated.UpdateRulesetParams{IfMatch: of(`"0-0"`)}, generated.UpdateRulesetRequest{Name: of("x")}))
	problem("changed", changed.HTTPResponse, changed.Body, false)
	tooLarge := add(generated.AddIPRequest{Ip: "192.0.2.7", Name: of(strings.Repeat("x", 100_000))}, nil)
	problem("too_large", tooLarge.HTTPResponse, tooLarge.Body, false)
	wrong := must(client.AddRuleWithBodyWithResponse(ctx, ruleset, nil, "application/xml", strings.NewReader("<ip/>")))
	problem("wrong_type", wrong.HTTPResponse, wrong.Body, false)
	key := &generated.AddRuleParams{IdempotencyKey: of("go")}
	require(add(generated.AddIPRequest{Ip: "192.0.2.7"}, key).StatusCode() == 201, "addRule")
	reused := add(generated.AddIPRequest{Ip: "192.0.2.8"}, key)
	problem("reused", reused.HTTPResponse, reused.Body, false)
	limited := clientOf(os.Getenv("LIMITED_KEY"))
	require(must(limited.ListRulesetsWithResponse(ctx, nil)).StatusCode() == 200, "listRulesets")
	tooMany := must(limited.ListRulesetsWithResponse(ctx, nil))
	problem("too_many", tooMany.HTTPResponse, tooMany.Body, true)
	tooLong := must(client.SearchCbsWithResponse(ctx, &generated.SearchCbsParams{Q: strings.Repeat("x", 9000)}))
	problem("too_long", tooLong.HTTPResponse, tooLong.Body, false)
}
