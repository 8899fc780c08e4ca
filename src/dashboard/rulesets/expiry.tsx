import { useId, useState } from "preact/hooks";
import { Field } from "../components/form.tsx";
import { formatLocal, formatUtc } from "../format.ts";
import { Problem } from "../problem.ts";

type Kind = "never" | "days" | "at";
const KINDS: Readonly<Record<Kind, string>> = { never: "Never", days: "After a number of days", at: "Date and time" };

/** Fields for a rule's expiry; `expiryOf` reads them. */
export function ExpiryFields({ expiresAt = null }: { readonly expiresAt?: string | null }) {
  const [kind, setKind] = useState<Kind>(expiresAt === null ? "never" : "at");
  const [at, setAt] = useState(expiresAt === null ? "" : localValue(new Date(expiresAt)));
  const id = useId();
  const isTime = !Number.isNaN(Date.parse(at));
  return (
    <fieldset class="field" aria-labelledby={id}>
      <span class="field-name" id={id}>
        Expires
      </span>
      <div class="choices">
        {(Object.keys(KINDS) as Kind[]).map((each) => (
          <label key={each} class="choice">
            <input type="radio" name="expiry" value={each} checked={kind === each} onChange={() => setKind(each)} />
            <span>{KINDS[each]}</span>
          </label>
        ))}
      </div>
      {kind === "days" && (
        <Field
          name="expires_in_days"
          label="Days from now"
          type="number"
          min={1}
          max={36_500}
          defaultValue="30"
          required
        />
      )}
      {kind === "at" && (
        <Field
          name="expires_at"
          label="Expires at (local time)"
          type="datetime-local"
          value={at}
          onInput={(event) => setAt(event.currentTarget.value)}
          required
          hint={
            isTime ? (
              <>
                That is <time>{formatUtc(new Date(at))}</time>.
              </>
            ) : (
              "Enter a date and a time."
            )
          }
        />
      )}
    </fieldset>
  );
}

/** In the format of the browser's field. */
function localValue(at: Date): string {
  return formatLocal(at).replace(" ", "T");
}

export interface Expiry {
  readonly expires_in_days?: number;
  readonly expires_at?: string | null;
}

/**
 * The content of the fields, `{}` for a new rule that never expires.
 * @throws Problem at a field with an invalid value
 */
export function expiryOf({
  expiry,
  expires_in_days: days = "",
  expires_at: at = "",
}: Readonly<Record<string, string>>): Expiry {
  if (expiry === "days") {
    if (!/^[1-9]\d{0,4}$/.test(days.trim())) throw problemAt("expires_in_days", "enter a number of days, 1 or more");
    return { expires_in_days: Number(days) };
  }
  if (expiry !== "at") return { expires_at: null };
  if (Number.isNaN(Date.parse(at))) throw problemAt("expires_at", "enter a date and a time");
  return { expires_at: new Date(at).toISOString() };
}

/** As a time, for requests that have no field for days. */
export function expiryTime({ expires_in_days: days, expires_at: at = null }: Expiry): string | null {
  return days === undefined ? at : new Date(Date.now() + days * 86_400_000).toISOString();
}

function problemAt(field: string, message: string): Problem {
  return new Problem(400, { validation_errors: { [field]: [message] } });
}
