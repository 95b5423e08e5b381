/**
 * Returns a URL of a file at the address of this page. The service serves the page and the files, but it may know itself
 * by another address, for example 127.0.0.1 instead of localhost, which the browser would treat as another site.
 */
export function toOwnOrigin(url: string, origin: string = location.origin): string {
  if (url === '') return '';
  const { pathname, search } = new URL(url);
  return origin + pathname + search;
}
