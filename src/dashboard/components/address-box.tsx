import { useLayoutEffect, useRef } from "preact/hooks";
import { hrefOf } from "../location.ts";
import { navigate } from "../router.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

interface Props {
  /** What stands in it, until something else is typed. */
  readonly value?: string;
  readonly autofocus?: boolean;
  /** The id of a text that says what is wrong with the value. */
  readonly faultId?: string | undefined;
}

/** One box for an address or prefix; leads to what is known about it. */
export function AddressBox({ value = "", autofocus = false, faultId }: Props) {
  const input = useRef<HTMLInputElement>(null);
  // Set, not rendered anew: who has just sent it stays in the field.
  useLayoutEffect(() => void (input.current!.value = value), [value]);
  const look = (event: Event): void => {
    event.preventDefault();
    const ip = input.current!.value.trim();
    if (ip === "") input.current!.focus();
    else navigate(hrefOf("/lookup", { ip }));
  };
  return (
    <form class="lookup-box" role="search" onSubmit={look}>
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        name="ip"
        class="mono"
        autofocus={autofocus}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        maxLength={200}
        aria-label="Address or prefix"
        placeholder="1.1.1.1, 2001:db8::1 or 203.0.113.0/24"
        aria-invalid={faultId !== undefined || undefined}
        aria-describedby={faultId}
      />
      <Button type="submit" look="primary">
        Look up
      </Button>
    </form>
  );
}
