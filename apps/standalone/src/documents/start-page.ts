import { PRODUCT_VERSION } from '@family-watch/platform/config/product-version';

/** Name of the file of the start page. */
export const START_PAGE = 'home.txt';

const NAME = 'Family Watch';
const DESCRIPTION = "Back end of a children's smart-watch service.";

/** What a person who opens the base URL looks for, by path. */
const LINKS: Readonly<Record<string, string>> = {
  '/docs': 'API documents',
  '/docs/openapi.json': 'OpenAPI document of the REST operations',
  '/docs/asyncapi.json': 'AsyncAPI document of the socket',
  '/health/ready': 'health',
};

/** Returns the start page for programs that do not display HTML, such as curl. */
export function startPage(): string {
  const lines = Object.entries(LINKS).map(([path, title]) => `  ${path.padEnd(21)} ${title}`);
  return `${NAME} ${PRODUCT_VERSION}\n${DESCRIPTION}\n\n${lines.join('\n')}\n`;
}
