/** Rows that are fetched in pages while they change: the test decides when responses arrive; without a browser. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { RowPages, type RowsPage } from "../../src/dashboard/rulesets/row-pages.ts";
import { until } from "../until.ts";

interface Asked {
  readonly offset: number;
  readonly limit: number;
  readonly signal: AbortSignal;
  readonly answer: (version: number, tag?: string) => Promise<void>;
  readonly fail: () => Promise<void>;
}

const COUNT = 100_000;

/** Each row shows the version that it belongs to, and its index. */
function pagesOf() {
  const asked: Asked[] = [];
  let changes = 0;
  const load = (offset: number, limit: number, signal: AbortSignal) => {
    const { promise, resolve, reject } = Promise.withResolvers<RowsPage<string>>();
    const items = (version: number): string[] =>
      Array.from({ length: Math.min(limit, COUNT - offset) }, (_, at) => `${version}:${offset + at}`);
    const answer = async (version: number, tag = `${version}-0`): Promise<void> => {
      resolve({ items: items(version), count: COUNT, version, tag });
      await sleep(0);
    };
    const fail = async (): Promise<void> => {
      reject(new Error("no answer"));
      await sleep(0);
    };
    asked.push({ offset, limit, signal, answer, fail });
    return promise;
  };
  const pages = new RowPages<string, RowsPage<string>>(load, () => void changes++);
  const next = async (): Promise<Asked> => {
    await until("a page is asked for", () => asked.length > 0);
    return asked.shift()!;
  };
  return { pages, asked, next, changes: () => changes };
}

async function begin() {
  const t = pagesOf();
  t.pages.show(0, 0);
  await (await t.next()).answer(1);
  return t;
}

test("visible rows are fetched in pages, once, with some rows around them", async () => {
  const { pages, asked, next, changes } = await begin();
  assert.deepEqual([pages.count, pages.row(199), pages.row(200), changes()], [COUNT, "1:199", undefined, 1]);
  pages.show(100, 130);
  await sleep(80);
  assert.equal(asked.length, 0);
  pages.show(50_000, 50_030);
  const [before, at] = [await next(), await next()];
  assert.deepEqual([before.offset, at.offset, before.limit], [49_800, 50_000, 200]);
  pages.show(50_001, 50_031);
  await sleep(80);
  assert.equal(asked.length, 0);
  await at.answer(1);
  assert.equal(pages.row(50_001), "1:50001");
  pages.close();
  assert.ok(before.signal.aborted);
});

test("requests for rows that are scrolled away before the response are aborted", async () => {
  const { pages, next } = await begin();
  pages.show(30_100, 30_120);
  const left = await next();
  pages.show(70_100, 70_120);
  const wanted = await next();
  assert.deepEqual([left.signal.aborted, wanted.signal.aborted, wanted.offset], [true, false, 70_000]);
  await left.answer(1);
  assert.equal(pages.row(30_100), undefined);
  await wanted.answer(1);
  assert.equal(pages.row(70_100), "1:70100");
  pages.close();
});

test("rows of two versions are never mixed, and an outdated response is ignored", async () => {
  const { pages, next } = await begin();
  pages.show(180, 220);
  const second = await next();
  assert.equal(second.offset, 200);
  await second.answer(2);
  assert.deepEqual([pages.row(180), pages.row(200)], [undefined, "2:200"]);
  const first = await next();
  assert.equal(first.offset, 0);
  await first.answer(1);
  assert.equal(pages.row(180), undefined);
  const again = await next();
  await again.answer(2, "2-1");
  assert.deepEqual([pages.row(180), pages.row(200)], ["2:180", undefined]);
  await (await next()).answer(2, "2-1");
  assert.deepEqual([pages.row(180), pages.row(200)], ["2:180", "2:200"]);
  pages.close();
});

test("a failure is reported and existing rows stay; a new fetch clears it", async () => {
  const { pages, next } = await begin();
  pages.refresh();
  await (await next()).fail();
  assert.deepEqual([pages.problem?.message, pages.row(5)], ["no answer", "1:5"]);
  pages.refresh();
  await (await next()).answer(1);
  assert.equal(pages.problem, undefined);
  pages.close();
});

test("many rows at once have one tag, or are reported as changed", async () => {
  const { pages, next } = await begin();
  const rows = pages.rows(10, 1509);
  await (await next()).answer(1, "1-0");
  const rest = await next();
  assert.deepEqual([rest.offset, rest.limit], [1010, 500]);
  await rest.answer(1, "1-1");
  await (await next()).answer(1, "1-1");
  await (await next()).answer(1, "1-1");
  const got = await rows;
  assert.deepEqual([got.length, got[0], got.at(-1)], [1500, "1:10", "1:1509"]);
  const changed = pages.rows(0, 9);
  const rejected = assert.rejects(changed, /have changed/);
  await (await next()).answer(2);
  await rejected;
  pages.close();
});
