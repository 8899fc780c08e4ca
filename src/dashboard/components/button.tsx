import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

interface Look {
  /** The one thing to do here; what takes something away; without a frame. */
  readonly look?: "primary" | "danger" | "quiet" | undefined;
  readonly icon?: IconName | undefined;
  readonly small?: boolean | undefined;
}

interface Props extends Look, Omit<ButtonHTMLAttributes<HTMLButtonElement>, "icon" | "type" | "disabled" | "children"> {
  readonly type?: "button" | "submit";
  readonly disabled?: boolean | undefined;
  /** Shows that something is under way, and takes no clicks. */
  readonly busy?: boolean | undefined;
  readonly children: ComponentChildren;
}

export function Button({
  look,
  icon,
  small,
  busy = false,
  type = "button",
  disabled = false,
  children,
  ...others
}: Props) {
  return (
    <button
      {...others}
      type={type}
      class={classOf({ look, small })}
      disabled={disabled}
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : others.onClick}
    >
      {busy ? <span class="spinner" /> : icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A link that looks like a button. */
export function ButtonLink({
  href,
  look,
  icon,
  small,
  children,
  download,
}: Look & { readonly href: string; readonly download?: string; readonly children: ComponentChildren }) {
  return (
    <a href={href} class={classOf({ look, small })} {...(download === undefined ? {} : { download })}>
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </a>
  );
}

/** A button that shows an icon only; its label is heard, and seen on hovering. */
export function IconButton({
  icon,
  label,
  ...others
}: { readonly icon: IconName; readonly label: string } & Omit<
  ButtonHTMLAttributes<HTMLButtonElement>,
  "icon" | "label"
>) {
  return (
    <button {...others} type="button" class="button icon-only" aria-label={label} title={label}>
      <Icon name={icon} />
    </button>
  );
}

function classOf({ look, small }: Look): string {
  return ["button", look, small === true && "small"].filter(Boolean).join(" ");
}
