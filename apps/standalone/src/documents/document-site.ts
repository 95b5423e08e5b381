import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { respondError } from '@family-watch/platform/http/error-response';
import { START_PAGE } from './start-page.js';

const compress = promisify(gzip);

/** Path of the documents page, with which the paths of all its files start. */
const DOCUMENTS_PATH = '/docs';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

/** Returns whether the site serves the path: the documents, or the start page. */
export function isDocumentPath(path: string): boolean {
  return path === '/' || path === DOCUMENTS_PATH || path.startsWith(`${DOCUMENTS_PATH}/`);
}

/** A file that is in memory once, regardless of the number of concurrent responses. */
interface Document {
  readonly bytes: Buffer;
  /** Digest of `bytes`, for the ETag header. */
  readonly digest: string;
  /** The gzip encoding; compressed at the first request, and absent if it would not be smaller. */
  readonly compressed: Promise<Buffer | undefined>;
}

/** Serves the documents from memory. All responses share one buffer per file and encoding. */
export class DocumentSite {
  private readonly documents = new Map<string, Document>();

  constructor(private readonly files: ReadonlyMap<string, Buffer>) {}

  /** Sends the file with this path, or the error ROUTE_NOT_FOUND if the file does not exist. */
  async serve(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = path === '/' ? startPageFor(request) : path.slice(DOCUMENTS_PATH.length + 1) || 'index.html';
    const document = this.find(name);
    if (!document) {
      respondError('ROUTE_NOT_FOUND', path, response);
      return;
    }
    const compressed = acceptsGzip(request) ? await document.compressed : undefined;
    const etag = `"${document.digest}${compressed ? '-gzip' : ''}"`;
    const headers = { ETag: etag, 'Cache-Control': 'no-cache', Vary: 'Accept, Accept-Encoding' };
    if (includesTag(request, etag)) {
      response.writeHead(304, headers).end();
      return;
    }
    const bytes = compressed ?? document.bytes;
    response.writeHead(200, {
      ...headers,
      ...(compressed ? { 'Content-Encoding': 'gzip' } : {}),
      'Content-Type': CONTENT_TYPES[extname(name)] ?? 'application/octet-stream',
      'Content-Length': bytes.length,
      'X-Content-Type-Options': 'nosniff',
    });
    response.end(bytes);
  }

  private find(name: string): Document | undefined {
    const bytes = this.files.get(name);
    const loaded = this.documents.get(name);
    if (loaded || !bytes) return loaded;
    const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
    const compressed = compress(bytes).then((gzipped) => (gzipped.length < bytes.length ? gzipped : undefined));
    const document = { bytes, digest, compressed };
    this.documents.set(name, document);
    return document;
  }
}

function startPageFor({ headers }: IncomingMessage): string {
  return (headers.accept ?? '').includes('text/html') ? START_PAGE.html : START_PAGE.text;
}

function acceptsGzip({ headers }: IncomingMessage): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(headers['accept-encoding'] ?? '');
}

function includesTag({ headers }: IncomingMessage, etag: string): boolean {
  const tags = (headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}

/** Reads all files of the directory into memory and returns a site that serves them. */
export function loadDocumentSite(directory: string): DocumentSite {
  return new DocumentSite(new Map(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name))])));
}
