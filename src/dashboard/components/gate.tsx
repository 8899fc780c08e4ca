import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Logo } from "./logo.tsx";
import { ThemeSwitch } from "./theme-switch.tsx";

/** A page by itself, for users who are not signed in. */
export function Gate({
  title,
  about,
  children,
}: {
  readonly title: string;
  readonly about?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  useEffect(() => void (document.title = `${title} - ipsieve`), [title]);
  return (
    <main class="gate">
      <div class="gate-card">
        <p class="brand">
          <Logo />
          ipsieve
        </p>
        <h1>{title}</h1>
        {about !== undefined && <p class="about">{about}</p>}
        {children}
      </div>
      <ThemeSwitch />
    </main>
  );
}
