import { HOSTS, hostLines, MAX_LINES, noHosts } from "./_host-lines.ts";

/** A list of one IPv4 address per line, without comments. */
function hostList(about: string) {
  return {
    about,
    kinds: ["rules"],
    mediaType: "text/plain",
    expresses: HOSTS,
    unprocessable: noHosts,
    maxEntries: MAX_LINES,
    write: hostLines,
  } as const;
}

export const sophos = hostList("third-party threat feed");
export const ntop = hostList("category list of ntopng");
