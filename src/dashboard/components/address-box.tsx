import { useLayoutEffect, useRef } from "preact/hooks";
import { addressIn } from "../lookup/address-in.ts";
import { hrefOf } from "../location.ts";
import { navigate } from "../router.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

interface Props {
  /** Its content until the user types something else. */
  readonly value?: string;
  readonly autofocus?: boolean;
  /** The id of a text that says what is wrong with the value. */
  readonly errorId?: string | undefined;
}

/** One box for an address or prefix; leads to everything known about it. */
export function AddressBox({ value = "", autofocus = false, errorId }: Props) {
  const input = useRef<HTMLInputElement>(null);
  // Set, not rendered again: a user who has just submitted stays in the field.
  useLayoutEffect(() => void (input.current!.value = value), [value]);
  const look = (event: Event): void => {
    event.preventDefault();
    const ip = addressIn(input.current!.value);
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
        maxLength={4000}
        aria-label="Address or prefix"
        placeholder="1.1.1.1, 203.0.113.0/24, a URL or a line of a log"
        aria-invalid={errorId !== undefined || undefined}
        aria-describedby={errorId}
      />
      <Button type="submit" look="primary">
        Look up
      </Button>
    </form>
  );
}
