import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** The properties of every page. */
export interface PageProps {
  /** The named parts of its path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

interface Props {
  /** The heading, and the title of the window. */
  readonly title: string;
  readonly about?: ComponentChildren;
  /** Buttons beside the heading. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

let isFirst = true;

/** A page's head and body. After navigation, the heading gets the focus, so that it is read out. */
export function Page({ title, about, actions, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => void (document.title = `${title} - ipsieve`), [title]);
  useEffect(() => {
    if (!isFirst && document.querySelector("main :focus, dialog[open]") === null)
      heading.current?.focus({ preventScroll: true });
    isFirst = false;
  }, []);
  return (
    <>
      <header class="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {about !== undefined && <p class="about">{about}</p>}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

/** A section of a page, with a heading of its own if it needs one. */
export function Panel({
  title,
  actions,
  flush = false,
  children,
}: {
  readonly title?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly flush?: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <section class={flush ? "panel flush" : "panel"}>
      {(title !== undefined || actions !== undefined) && (
        <header class="panel-head">
          <h2>{title}</h2>
          {actions !== undefined && <div class="actions">{actions}</div>}
        </header>
      )}
      <div class="panel-body">{children}</div>
    </section>
  );
}
