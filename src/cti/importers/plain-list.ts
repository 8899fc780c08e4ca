import type { Feed, FeedReader } from "./feed.ts";

/**
 * One address or prefix per line, as in most blocklists; `#` and `;` begin a comment at the start of a line or after
 * white space. Anything else after white space (IPsum has counts there) is ignored, with a warning.
 */
export function plainList(feed: Feed): FeedReader {
  return {
    line(text, number) {
      const start = text.search(/\S/);
      if (start < 0 || text[start] === "#" || text[start] === ";") return;
      const [first] = /^\S+/.exec(text.slice(start))!;
      const rest = text.slice(start + first.length).trimStart();
      if (rest !== "" && !rest.startsWith("#") && !rest.startsWith(";"))
        feed.warn("text after the address is ignored", number);
      if (first.includes(","))
        return feed.skip(
          number,
          start + first.indexOf(",") + 1,
          "there is a comma; give --format csv for a table, with a first line that names the columns",
        );
      feed.add(first, feed.defaults, number, () => start + 1);
    },
    end() {},
  };
}
