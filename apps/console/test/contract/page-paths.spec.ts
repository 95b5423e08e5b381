import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';

/** The services that serve the page (standalone, the development proxy, nginx) take its paths from page-paths.json. */
test('page-paths.json lists the first segment of each path of the router', () => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const paths = [
    ...read('src/app/router.tsx').matchAll(/getParentRoute: \(\) => (?:root|signedIn),\s+path: '(\/[^']*)'/g),
  ].map(([, path = '']) => path);
  const segments = new Set(paths.filter((path) => path !== '/').map((path) => `/${path.split('/')[1]}`));
  expect(JSON.parse(read('page-paths.json'))).toEqual([...segments].sort());
});
