import { readFileSync } from 'node:fs';

/** Names of the files of the start page: for browsers, and for others. */
export const START_PAGE = { html: 'home.html', text: 'home.txt' } as const;

const NAME = 'Family Watch';
const DESCRIPTION = "Back end of a children's smart-watch service.";

/** What a person who opens the base URL looks for, by path. */
const LINKS: Readonly<Record<string, string>> = {
  '/docs': 'API documents',
  '/docs/openapi.json': 'OpenAPI document of the REST operations',
  '/docs/asyncapi.json': 'AsyncAPI document of the socket',
  '/health/ready': 'health',
};

/** All packages have the version of the service. */
function version(): string {
  const { version: text } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return text;
}

/** Returns the start page for browsers. */
export function startPageHtml(): string {
  const items = Object.entries(LINKS).map(([path, title]) => `      <li><a href="${path}">${title}</a></li>`);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <meta name="color-scheme" content="light dark" />
    <title>${NAME}</title>
  </head>
  <body>
    <h1>${NAME} ${version()}</h1>
    <p>${DESCRIPTION}</p>
    <ul>
${items.join('\n')}
    </ul>
  </body>
</html>
`;
}

/** Returns the start page for programs that do not display HTML, such as curl. */
export function startPageText(): string {
  const lines = Object.entries(LINKS).map(([path, title]) => `  ${path.padEnd(21)} ${title}`);
  return `${NAME} ${version()}\n${DESCRIPTION}\n\n${lines.join('\n')}\n`;
}
