import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { signOut } from "./account.ts";
import { IconButton } from "./components/button.tsx";
import { Icon } from "./components/icon.tsx";
import { Logo } from "./components/logo.tsx";
import { ThemeSwitch } from "./components/theme-switch.tsx";
import { notifyProblem } from "./components/toasts.tsx";
import { pageLocation } from "./router.ts";
import { type Route, ROUTES } from "./routes.ts";
import { hasRole, session } from "./session.ts";

/** The frame of every page: the navigation at the side, or behind a button if there is no room. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  useEffect(() => setOpen(false), [pageLocation.value.path]);
  const skip = (event: Event): void => {
    event.preventDefault();
    main.current!.focus();
  };
  return (
    <div class="shell" onKeyDown={(event) => event.key === "Escape" && setOpen(false)}>
      <a class="skip" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <div class="bar">
        <a href="#/" class="brand">
          <Logo />
          ipsieve
        </a>
        <button
          type="button"
          class="button icon-only"
          aria-label="Menu"
          aria-expanded={isOpen}
          aria-controls="side"
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? "close" : "menu"} />
        </button>
      </div>
      <aside id="side" class={isOpen ? "side open" : "side"}>
        <a href="#/" class="brand">
          <Logo />
          ipsieve
        </a>
        <nav aria-label="Pages">
          <Group name="addresses" />
          <p class="group">Organisation</p>
          <Group name="organisation" />
        </nav>
        <Account />
      </aside>
      <main ref={main} tabIndex={-1}>
        <div class="content">{children}</div>
      </main>
    </div>
  );
}

function Group({ name }: { readonly name: Route["group"] }) {
  const shown = ROUTES.filter(
    ({ label, group, needs }) => label !== undefined && group === name && (needs === undefined || hasRole(needs)),
  );
  return (
    <ul>
      {shown.map(({ path, label, icon }) => (
        <li key={path}>
          <a href={`#${path}`} aria-current={isWithin(pageLocation.value.path, path) ? "page" : undefined}>
            {icon !== undefined && <Icon name={icon} />}
            {label}
          </a>
        </li>
      ))}
    </ul>
  );
}

function isWithin(path: string, top: string): boolean {
  return path === top || (top !== "/" && path.startsWith(`${top}/`));
}

function Account() {
  const { user, organisation } = session.value!;
  return (
    <footer class="account">
      <ThemeSwitch />
      <div class="who">
        <a
          href="#/account"
          title="Your account"
          aria-current={pageLocation.value.path === "/account" ? "page" : undefined}
        >
          <strong>{user.name}</strong>
          <span>{organisation.name}</span>
          <span>{user.role}</span>
        </a>
        <IconButton icon="leave" label="Sign out" onClick={() => void signOut().catch(notifyProblem)} />
      </div>
    </footer>
  );
}
