import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { temporaryFolder } from "../cli/run-command.ts";
import { EarlyAnswers } from "./harness/early-answers.ts";
import { PROXIES, startProxy } from "./harness/proxies.ts";
import type { ListeningProgram } from "./harness/start-listening.ts";
import { CANARY, exchange, type ExchangeReport, errorIn, smuggledRequests } from "./harness/raw-exchange.ts";
import { onlyLong, sampled } from "../rounds.ts";
import { until } from "../until.ts";
import { addKey, addOrganisation, ask } from "./start-server.ts";

/** Longer than any of the limits of the service, and than what the proxies keep of it. */
const SIZE = 200_000;
/** Milliseconds until a request of the other organisation counts as never answered. */
const LIMIT = 5000;

/**
 * What is wrong with the responses to the client that did it; a response of the proxy itself, which has no id, is fine.
 */
function foreignAnswerIn(report: ExchangeReport): string | undefined {
  if (report.end === "stuck") return errorIn(report);
  const foreign = report.answers
    .map(({ headers }) => headers.get("x-request-id") ?? "first")
    .filter((id) => id !== "first" && id !== CANARY);
  return foreign.length === 0 ? undefined : `answers to ${foreign.join(", ")} came`;
}

for (const proxy of PROXIES) {
  describe(`two organisations that share a connection of ${proxy.name}`, { skip: proxy.missing || onlyLong() }, () => {
    let folder: ReturnType<typeof temporaryFolder>;
    let service: EarlyAnswers;
    let running: ListeningProgram | undefined;
    /** A key of the other organisation. */
    let key: string;
    let rulesets: string[];
    before(async () => {
      folder = temporaryFolder();
      service = await EarlyAnswers.start();
      key = (await addKey(service.test, await addOrganisation(service.test, "Other"))).text;
      // A server that has just started on a busy machine may still report overload.
      await until("the rulesets of the other organisation are listed", async () => {
        const { status, body } = await ask(service.test, "GET", "/v1/edl/ip-rulesets", { key });
        if (status === 200) rulesets = body.items.map(({ id }: { id: string }) => id);
        return status === 200;
      });
      running = await startProxy(proxy, { folder: folder.path, servicePort: service.port, withTls: false });
    });
    after(async () => {
      // What `before` did not create is missing.
      await running?.end();
      await service?.test.close();
      folder.remove();
    });

    /** Requests the rulesets of the other organisation. Returns what is wrong with the response. */
    async function askAsOther(id: string): Promise<string | undefined> {
      try {
        const response = await fetch(`http://127.0.0.1:${running!.port}/v1/edl/ip-rulesets`, {
          headers: { "X-API-Key": key, "X-Request-Id": id },
          signal: AbortSignal.timeout(LIMIT),
        });
        const text = await response.text();
        if (response.headers.get("x-request-id") !== id)
          return `the answer is ${response.status}, to ${response.headers.get("x-request-id")}`;
        const got = JSON.parse(text).items?.map((item: { id: string }) => item.id);
        return JSON.stringify(got) === JSON.stringify(rulesets) ? undefined : `the answer is ${text.slice(0, 200)}`;
      } catch (error) {
        return (error as Error).name === "TimeoutError"
          ? "it was never answered"
          : String((error as Error).cause ?? error);
      }
    }

    test("an early response to one never prevents that of the other", async (t) => {
      const errors: string[] = [];
      const cases = sampled(service.cases(), 3);
      const own = { answered: 0, closed: 0, stuck: 0 };
      for (const [index, { name, request, letter }] of cases.entries()) {
        const body = letter === undefined ? smuggledRequests(SIZE) : Buffer.alloc(SIZE, letter);
        const framing = index % 2 === 0 ? "length" : "chunked";
        const first = exchange(running!.port, { ...request, framing, body }, LIMIT);
        // Once while the body is being sent, and once afterwards.
        const during = await askAsOther(`during-${index}`);
        const report = await first;
        own[report.end]++;
        const after = await askAsOther(`after-${index}`);
        const ofOwn = foreignAnswerIn(report);
        if (ofOwn !== undefined) errors.push(`${name}, ${framing}: ${ofOwn}`);
        for (const [when, fault] of [
          ["during", during],
          ["after", after],
        ] as const)
          if (fault !== undefined) errors.push(`${name}, ${framing}, the other's request ${when} it: ${fault}`);
        if (errors.length > 20) break;
      }
      t.diagnostic(`${cases.length} early answers: ${JSON.stringify(own)}`);
      assert.deepEqual(errors, []);
    });
  });
}
