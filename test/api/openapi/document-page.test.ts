import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer, type TestServer } from "../start-server.ts";

let t: TestServer;
before(async () => {
  t = await startServer();
});
after(() => t.close());

test("the page of the operations: everything that it refers to exists, on this server", async () => {
  const response = await fetch(`${t.server.url}/docs/`);
  assert.equal(response.url, `${t.server.url}/docs`);
  const page = await response.text();
  const links = [...page.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, link]) => link!);
  const places = new Set([...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => `#${id}`));
  assert.ok(links.includes("docs.css") && links.includes("favicon.ico") && links.includes("#schema-Rule"));
  for (const link of new Set(links)) {
    if (link.startsWith("#")) assert.ok(places.has(link), link);
    else assert.equal((await fetch(new URL(link, response.url))).status, 200, link);
  }
  assert.doesNotMatch(page, /<script|<style|\bstyle=|\b(href|src)="[a-z]*:?\/\//);
});
