/** An OpenAPI document in which shared parameters, headers and responses are inlined; schemas remain references. */
export function inlined(document: any): any {
  const shared = /^#\/components\/(parameters|headers|responses)\/(\w+)$/;
  const walk = (value: any): any => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== "object" || value === null) return value;
    const [, kind, name] = shared.exec(value.$ref) ?? [];
    if (kind !== undefined) return walk(document.components[kind][name!]);
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, walk(each)]));
  };
  return { ...document, paths: walk(document.paths) };
}
