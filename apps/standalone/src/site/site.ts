import type { IncomingMessage, ServerResponse } from 'node:http';
import { isConsolePath, isUnknownPage, type ConsoleSite } from '../console/console-site.js';
import { documentName, isDocumentPath, type DocumentSite } from '../documents/document-site.js';
import { START_PAGE } from '../documents/start-page.js';

/** Returns whether the site has the path: `/`, the documents or the console. */
export function isSitePath(path: string): boolean {
  return path === '/' || isDocumentPath(path) || isConsolePath(path);
}

/** Returns whether a browser asks for a page that does not exist. */
export function isForMissingPage(path: string, request: IncomingMessage): boolean {
  return request.method === 'GET' && acceptsHtml(request) && isUnknownPage(path);
}

/** What people open in a browser: the console at `/`, the documents at `/docs`. */
export class Site {
  constructor(
    private readonly documents: DocumentSite,
    private readonly console: ConsoleSite,
  ) {}

  /** Sends the file with this path, or the error ROUTE_NOT_FOUND if the file does not exist. */
  async serve(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (isDocumentPath(path)) await this.documents.serve(documentName(path), request, response);
    else if (path === '/' && !acceptsHtml(request)) await this.documents.serve(START_PAGE, request, response);
    else await this.console.serve(path, request, response);
  }
}

function acceptsHtml({ headers }: IncomingMessage): boolean {
  return (headers.accept ?? '').includes('text/html');
}
