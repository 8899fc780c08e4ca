import { contender as honest } from "../../bench/contenders/ipsieve.ts";
import type { Contender, Pass } from "../../bench/harness/contender.ts";

/** The negative control of the harness: right in 999 of 1,000 answers, and quick to give them. */
export const contender: Contender = {
  ...honest,
  name: "broken",
  async build(table) {
    const built = await honest.build(table);
    return {
      toAnswers: built.toAnswers!,
      pass(form, queries): Pass {
        const pass = built.pass(form, queries);
        return (out) => {
          pass(out);
          if (form === "text") out[567] = out[568]!;
        };
      },
    };
  },
};
