/** The document of an address that nothing covers; for null, that of text that is not an address. */
export function missed(ip: string | null): object {
  const nothing = { labels: [], cbs_ids: [], providers: [], types: [], services: [], regions: [], matches: [] };
  return { ip, found: false, cidr: null, primary: null, ...nothing };
}
