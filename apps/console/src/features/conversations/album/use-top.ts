import { useLayoutEffect, useState } from 'react';

/** Returns the distance of an element from the top of the page, which changes with what is above it. */
export function useTop(ref: { current: HTMLElement | null }): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const update = () => ref.current && setTop(Math.round(ref.current.getBoundingClientRect().top + window.scrollY));
    update();
    const observer = new ResizeObserver(update);
    observer.observe(document.body);
    const main = ref.current?.closest('main');
    if (main) for (const child of main.querySelectorAll(':scope > *')) observer.observe(child);
    return () => observer.disconnect();
  }, [ref]);
  return top;
}
