import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

interface Look {
  /** The main action; a destructive one; one without a frame. */
  readonly look?: "primary" | "danger" | "quiet" | undefined;
  readonly icon?: IconName | undefined;
  readonly small?: boolean | undefined;
}

interface Props extends Look, Omit<ButtonHTMLAttributes<HTMLButtonElement>, "icon" | "type" | "disabled" | "children"> {
  readonly type?: "button" | "submit";
  readonly disabled?: boolean | undefined;
  /** Shows that something is in progress, and ignores clicks. */
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

/** A button that shows only an icon; its label is read out, and shown on hover. */
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
