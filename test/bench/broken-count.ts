import { rightAnswers } from "./broken-lines.ts";
import type { LineContender } from "../../bench/harness/line-contender.ts";

/** A negative control: counts one line too few. */
export const contender: LineContender = {
  name: "broken-count",
  async open(input) {
    const matched = rightAnswers(input).filter((value) => value > 0).length - 1;
    return [{ subject: "one less", threads: 1, run: async () => ({ matched }) }];
  },
};
