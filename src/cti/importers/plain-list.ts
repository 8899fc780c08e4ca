import { quoted } from "../../address/address-error.ts";
import { readListLine } from "../../reading/list-line.ts";
import { ListLineError } from "../../reading/list-error.ts";
import type { Feed, FeedReader } from "./feed.ts";

/** Addresses, prefixes and ranges, as in every list. */
export function plainList(feed: Feed): FeedReader {
  return {
    line(line, number) {
      try {
        for (const { prefixes, text, at } of readListLine(line)?.entries ?? [])
          for (const prefix of prefixes) feed.addPrefix(prefix, text, feed.defaults, number, () => at + 1);
      } catch (error) {
        if (!(error instanceof ListLineError)) throw error;
        feed.skip(number, error.at + 1, `${quoted(error.value)}: ${error.problem}`);
      }
    },
    end() {},
  };
}
