import { Select } from "../components/form.tsx";

const GRACE = {
  24: "1 day",
  1: "1 hour",
  72: "3 days",
  168: "7 days",
  720: "30 days",
  0: "None: all old URLs stop working now",
};

/** How long URLs work once they have been replaced. */
export function GraceSelect() {
  return (
    <Select
      name="grace"
      label="The old URLs keep working for"
      options={GRACE}
      defaultValue="24"
      hint="Give every device its new URL within this time. After that, devices that still use the old one get 403, and some stop blocking. URLs replaced earlier keep their own ends, unless you choose None."
    />
  );
}
