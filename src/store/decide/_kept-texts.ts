// The rules that a change touched, as they are kept for the audit log.

/** JSON of rows and keys, one text each: building all of it in one step would block others. */
export interface KeptTexts {
  readonly rules: string[];
  readonly upserts: string[];
  readonly deletes: string[];
}

export function noTexts(): KeptTexts {
  return { rules: [], upserts: [], deletes: [] };
}

export function textOfParts({ rules, upserts, deletes }: KeptTexts): string {
  return `{"rules":[${rules.join(",")}],"upserts":[${upserts.join(",")}],"deletes":[${deletes.join(",")}]}`;
}
