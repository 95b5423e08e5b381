import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';

/** Files of Swagger UI that the page loads. */
const ASSETS = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'] as const;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
};

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Family Watch API</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png" sizes="32x32" />
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const STARTUP_SCRIPT = `SwaggerUIBundle({ url: '/docs/openapi.json', dom_id: '#swagger-ui', deepLinking: true });\n`;

/** Writes the static files of a Swagger UI page that shows `openapi.json` to the directory of `openapi.json`. */
export function writeDocumentPage(folder: string): void {
  const source = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  for (const asset of ASSETS) copyFileSync(join(source, asset), join(folder, asset));
  writeFileSync(join(folder, 'index.html'), PAGE);
  writeFileSync(join(folder, 'start.js'), STARTUP_SCRIPT);
}

/** Serves the files of the documents' directory from memory. Does not read the file system at a request. */
export class DocumentSite {
  constructor(private readonly files: ReadonlyMap<string, Buffer>) {}

  /** Sends the file with this path. @returns false when there is no such file */
  serve(path: string, response: ServerResponse): boolean {
    const name = path.slice('/docs/'.length) || 'index.html';
    const content = this.files.get(name);
    if (!content) return false;
    const type = CONTENT_TYPES[extname(name)] ?? 'application/octet-stream';
    response.writeHead(200, { 'Content-Type': type, 'Content-Length': content.length }).end(content);
    return true;
  }
}

export function loadDocumentSite(folder: string): DocumentSite {
  return new DocumentSite(new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))])));
}
