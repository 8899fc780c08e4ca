/** The document of an address that nothing covers; null: of text that is no address. */
export function missed(ip: string | null): object {
  const nothing = { labels: [], cbs_ids: [], providers: [], types: [], services: [], regions: [], matches: [] };
  return { ip, found: false, cidr: null, ...nothing };
}
