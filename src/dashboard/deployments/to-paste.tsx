import { CopyButton } from "../components/copy.tsx";
import type { Step } from "./recipes.ts";

/** Steps in their order, each of which can be copied. */
export function ToPaste({ steps }: { readonly steps: readonly Step[] }) {
  const isNumbered = steps.length > 1;
  return (
    <>
      {steps.map(({ where, text }, index) => (
        <div key={index} class="recipe">
          <p>
            {isNumbered && `${index + 1}. `}
            {where}:
          </p>
          <pre tabIndex={0} role="region" aria-label={where}>
            <code>{text}</code>
          </pre>
          <CopyButton text={text} label="Copy" />
        </div>
      ))}
    </>
  );
}
