import { type Theme, theme, THEMES } from "../theme.ts";
import { Icon, type IconName } from "./icon.tsx";

const LOOKS: Readonly<Record<Theme, readonly [IconName, string]>> = {
  system: ["system", "Same as system"],
  light: ["sun", "Light"],
  dark: ["moon", "Dark"],
};

export function ThemeSwitch() {
  return (
    <fieldset class="switch">
      <legend class="hidden">Theme</legend>
      {THEMES.map((each) => (
        <label key={each} title={LOOKS[each][1]}>
          <input
            type="radio"
            name="theme"
            class="hidden"
            checked={theme.value === each}
            onChange={() => (theme.value = each)}
          />
          <Icon name={LOOKS[each][0]} />
          <span class="hidden">{LOOKS[each][1]}</span>
        </label>
      ))}
    </fieldset>
  );
}
