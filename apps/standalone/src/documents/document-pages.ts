import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Marked } from 'marked';
import { START_PAGE, startPage } from './start-page.js';

/** Files that the build copies beside this program (copy-documents.mjs). */
const ASSETS = join(import.meta.dirname, '../../dist/documents/assets');

/**
 * Nothing is loaded from other hosts and nothing is sent to them. Redoc inserts style elements; scripts are files of this
 * site only. The policy is part of the page, so that it also applies where nginx serves the files.
 */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src data:; " +
  "connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'";

const STYLE = `
body { margin: 0; color: #1b1f24; background: #fff; font: 16px/1.6 system-ui, sans-serif; }
nav { padding: 12px 24px; border-bottom: 1px solid #d0d7de; }
nav a { margin-right: 20px; color: #0b57d0; }
nav a[aria-current] { color: inherit; font-weight: 600; text-decoration: none; }
main { max-width: 52rem; margin: 0 auto; padding: 8px 24px 64px; }
pre { padding: 12px 16px; overflow-x: auto; background: #f6f8fa; border-radius: 6px; }
code { font: 0.875em/1.5 ui-monospace, monospace; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { padding: 6px 12px; border: 1px solid #d0d7de; text-align: left; vertical-align: top; }
`;

const PAGES = [
  ['index.html', 'Guide'],
  ['reference.html', 'REST reference'],
  ['messages.html', 'Message reference'],
] as const;

type PageName = (typeof PAGES)[number][0];

/** Returns the pages of `/docs`, their files and the start page, by name. */
export function documentPages(): Map<string, Buffer> {
  const asset = (name: string): Buffer => readFileSync(join(ASSETS, name));
  const guide = asset('guide.md').toString();
  return new Map<string, Buffer>([
    ['index.html', page('index.html', `<main>${renderGuide(guide)}</main>`)],
    ['reference.html', page('reference.html', referenceTo('openapi.json'))],
    ['messages.html', page('messages.html', referenceTo('asyncapi.json'))],
    ['page.css', Buffer.from(STYLE)],
    ['redoc.standalone.js', asset('redoc.standalone.js')],
    ['redoc.LICENSE.txt', asset('redoc.LICENSE.txt')],
    ['LICENSE.txt', asset('LICENSE.txt')],
    [START_PAGE, Buffer.from(startPage())],
  ]);
}

function renderGuide(markdown: string): string {
  const marked = new Marked({ async: false });
  // Headings get an id, so that the guide can be linked to.
  marked.use({
    renderer: {
      heading({ tokens, depth }) {
        const text = this.parser.parseInline(tokens);
        const id = text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
        return `<h${depth} id="${id}">${text}</h${depth}>\n`;
      },
    },
  });
  return marked.parse(markdown, { async: false });
}

function referenceTo(document: string): string {
  return `<redoc spec-url="/docs/${document}" disable-telemetry="true"></redoc><script type="module" src="/docs/redoc.standalone.js"></script>`;
}

function page(name: PageName, content: string): Buffer {
  const links = PAGES.map(
    ([target, title]) => `<a href="/docs/${target}"${target === name ? ' aria-current="page"' : ''}>${title}</a>`,
  );
  return Buffer.from(`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <meta http-equiv="Content-Security-Policy" content="${CONTENT_SECURITY_POLICY}" />
    <title>Family Watch API</title>
    <link rel="stylesheet" href="/docs/page.css" />
    <link rel="icon" href="data:," />
  </head>
  <body>
    <nav>
      ${links.join('\n      ')}
      <a href="/docs/openapi.json">openapi.json</a><a href="/docs/asyncapi.json">asyncapi.json</a>
    </nav>
    ${content}
  </body>
</html>
`);
}
