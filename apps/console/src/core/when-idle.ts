/** Lets the first page load what it needs before other downloads begin. */
const DELAY_MS = 2_000;
const MAX_WAIT_MS = 5_000;

/** Calls the function when the browser has nothing else to do. Returns the function that prevents it. */
export function whenIdle(callback: () => void): () => void {
  let request = 0;
  const timer = setTimeout(() => {
    // Safari has no idle callbacks.
    if ('requestIdleCallback' in window) request = requestIdleCallback(callback, { timeout: MAX_WAIT_MS });
    else callback();
  }, DELAY_MS);
  return () => {
    clearTimeout(timer);
    if (request !== 0) cancelIdleCallback(request);
  };
}
