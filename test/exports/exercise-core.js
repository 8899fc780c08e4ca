/**
 * Uses every part of `ipsieve/core` once, and returns the results as JSON. Plain JavaScript: Node, browsers and their
 * workers, which get its text, all run it.
 */
export function exerciseCore(core, bytes) {
  const catalogue = core.catalogueFromBytes(bytes);
  const matcher = new core.Matcher(catalogue.table);
  const typescript = new core.Matcher(catalogue.table, { engine: "typescript" });
  const text = new TextEncoder().encode('1.1.1.1 - "GET /"\nno address\n[2606:4700::1111]:443\n10.0.0.1');
  const ruleset = new core.Ruleset();
  ruleset.add("1.1.1.0/24", { name: "resolver" }, 0);
  const imported = ruleset.import("8.8.8.0/24\nnonsense\n", "text", {}, 0);
  const failed = [];
  for (const broken of [bytes.slice(0, 1000), new Uint8Array(10)]) {
    try {
      core.snapshotFromBytes(broken);
    } catch (error) {
      failed.push(`${error.name} ${error.code}`);
    }
  }
  return JSON.stringify({
    address: core.formatAddress(core.parseAddress("2001:DB8::0:1")),
    services: core.identifyText(catalogue, "1.1.1.1"),
    found: [...matcher.identifyBuffer(text).matches],
    again: [...typescript.identifyBuffer(text).matches],
    search: new core.SearchIndex(catalogue).search("amazn web").map(({ id }) => id),
    rule: ruleset.check("1.1.1.1", 1),
    errors: imported.errors.length,
    failed,
  });
}
