import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/**
 * The current width of an element, in pixels: charts are drawn in pixels, so that their text has the same size as all
 * other text.
 */
export function useWidth<Element extends HTMLElement>(): [RefObject<Element | null>, number] {
  const element = useRef<Element>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)));
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
