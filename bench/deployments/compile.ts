import { CatalogueTree } from "../../src/cbs/catalogue-tree.ts";
import { openCatalogue } from "../../src/datasets/open-catalogue.ts";
import { compilingList, type CompiledList } from "../../src/deployments/compile.ts";
import type { Gathered } from "../../src/deployments/gathered.ts";
import { gatheringNode } from "../../src/deployments/sources/node.ts";
import { gatheringRules } from "../../src/deployments/sources/rules.ts";
import { RuleIndex } from "../../src/rulesets/index/rule-index.ts";
import { rulesOf } from "../api/fill-store.ts";
import { type Measurement, measurement } from "../api/measure.ts";
import { Random } from "../data/random.ts";

const RULES = 1_000_000;
const EXCLUDED = 100_000;
const NODES = ["/cdn/cloudflare", "/cloud/aws"];

/**
 * A list of 1,000,000 rules without 100,000 rules and two nodes of the bundled catalogue: everything gathered anew, and
 * after one rule has changed, of the includes or of the excludes. By processor time, since the compiler has one thread.
 */
export async function measureCompile(rounds: number): Promise<Measurement[]> {
  const random = new Random(18);
  const included = RuleIndex.from([rulesOf(RULES, random)]);
  const excluded = RuleIndex.from([rulesOf(EXCLUDED, random)]);
  const tree = new CatalogueTree(await openCatalogue());
  const [cold, afterInclude, afterExclude, gather, longest]: number[][] = [[], [], [], [], []];
  for (let round = 0; round <= rounds; round++) {
    const steps = { longest: 0 };
    const all = timed(() => {
      const nodes = NODES.map((id) => run(gatheringNode(id, tree, id), steps));
      const [include, exclude] = [gathered(included, steps), gathered(excluded, steps)];
      return { nodes, include, exclude, list: compiled([include], [exclude, ...nodes], steps) };
    });
    const { nodes, include, exclude } = all.result;
    const ofRules = timed(() => gathered(withOneMore(included, round), steps));
    const ofInclude = timed(() => compiled([ofRules.result], [exclude, ...nodes], steps));
    const ofExclude = timed(() => {
      const changed = gathered(withOneMore(excluded, round), steps);
      return compiled([include], [changed, ...nodes], steps);
    });
    if (round === 0) continue;
    cold!.push(all.milliseconds);
    gather!.push(ofRules.milliseconds);
    afterInclude!.push(ofRules.milliseconds + ofInclude.milliseconds);
    afterExclude!.push(ofExclude.milliseconds);
    longest!.push(steps.longest);
  }
  return [
    measurement("1,000,000 rules without 100,000 and two nodes: all of it", "processor ms", cold!),
    measurement("... after one rule of the 1,000,000 has changed", "processor ms", afterInclude!),
    measurement("... of that, the 1,000,000 rules gathered", "processor ms", gather!),
    measurement("... after one rule of the 100,000 has changed", "processor ms", afterExclude!),
    measurement("... the longest step between two interruptions", "ms", longest!),
  ];
}

function gathered(rules: RuleIndex, steps: Steps): Gathered {
  return run(gatheringRules("rules", rules, 0), steps);
}

function compiled(include: Gathered[], exclude: Gathered[], steps: Steps): CompiledList {
  return run(compilingList({ include, exclude }), steps);
}

/** The rules, of which one is now another. */
function withOneMore(rules: RuleIndex, round: number): RuleIndex {
  const prefix = { family: 4, w0: 0x0a00_0000 + round, w1: 0, w2: 0, w3: 0, length: 32 } as const;
  rules.set({ prefix, name: null, expiresAt: null, createdAt: 0, updatedAt: 0 });
  return rules;
}

interface Steps {
  /** Milliseconds. */
  longest: number;
}

function run<Result>(work: Generator<undefined, Result, undefined>, steps: Steps): Result {
  for (;;) {
    const startedAt = performance.now();
    const { done, value } = work.next();
    steps.longest = Math.max(steps.longest, performance.now() - startedAt);
    if (done === true) return value;
  }
}

function timed<Result>(work: () => Result): { result: Result; milliseconds: number } {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  return { result, milliseconds: (user + system) / 1000 };
}
