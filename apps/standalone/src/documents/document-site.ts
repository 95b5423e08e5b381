import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { respondError } from '@family-watch/platform/http/error-response';

/** Of brotli, for a file that has no encoding of the build: it is compressed while a client waits. */
const RUNTIME_QUALITY = 5;

/** Matches a header Accept-Encoding that accepts the encoding. */
const acceptPattern = (encoding: string) => new RegExp(`\\b${encoding}\\b(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))`, 'i');

/**
 * The encodings, the best first, with the ending of a file that has it already. A file without one is compressed at its
 * first request, which must not wait for brotli's best.
 */
const ENCODINGS = [
  {
    name: 'br',
    accepted: acceptPattern('br'),
    ending: '.br',
    compress: (bytes: Buffer) =>
      promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: RUNTIME_QUALITY } }),
  },
  { name: 'gzip', accepted: acceptPattern('gzip'), ending: '.gz', compress: (bytes: Buffer) => promisify(gzip)(bytes) },
] as const;

/** Path of the documents page, with which the paths of all its files start. */
const DOCUMENTS_PATH = '/docs';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
};

const DOCUMENT_HEADERS = { 'Cache-Control': 'no-cache', Vary: 'Accept, Accept-Encoding' };

export function isDocumentPath(path: string): boolean {
  return path === DOCUMENTS_PATH || path.startsWith(`${DOCUMENTS_PATH}/`);
}

/** Returns the name of the file that a path of the documents shows. */
export function documentName(path: string): string {
  return path.slice(DOCUMENTS_PATH.length + 1) || 'index.html';
}

/** A file that is in memory once, regardless of the number of concurrent responses. */
interface Document {
  readonly bytes: Buffer;
  /** Digest of `bytes`, for the ETag header. */
  readonly digest: string;
  /** By the name of the encoding; undefined if it would not be smaller. */
  readonly encoded: Map<string, Promise<Buffer | undefined>>;
}

/** Serves files from memory. All responses share one buffer per file and encoding. */
export class DocumentSite {
  private readonly documents = new Map<string, Document>();
  private readonly files = new Map<string, Buffer>();
  /** The encodings that the build has made, by the name of the file with the ending of the encoding. */
  private readonly stored = new Map<string, Buffer>();

  /** @param files - by name; a file that ends like an encoding is one of the file before the ending */
  constructor(files: ReadonlyMap<string, Buffer>) {
    for (const [name, bytes] of files) {
      const isEncoded = ENCODINGS.some(({ ending }) => name.endsWith(ending));
      (isEncoded ? this.stored : this.files).set(name, bytes);
    }
  }

  /** Sends the file with this name, or the error ROUTE_NOT_FOUND if the file does not exist. */
  async serve(
    name: string,
    request: IncomingMessage,
    response: ServerResponse,
    fileHeaders: OutgoingHttpHeaders = DOCUMENT_HEADERS,
    status: 200 | 404 = 200,
  ): Promise<void> {
    const document = this.find(name);
    if (!document) {
      respondError('ROUTE_NOT_FOUND', request.url ?? '/', response);
      return;
    }
    const encoding = ENCODINGS.find(({ accepted }) => accepted.test(request.headers['accept-encoding'] ?? ''));
    const compressed = encoding && (await this.encode(name, document, encoding));
    const etag = `"${document.digest}${compressed ? `-${encoding.name}` : ''}"`;
    const headers = { ...fileHeaders, ETag: etag };
    if (status === 200 && includesTag(request, etag)) {
      response.writeHead(304, headers).end();
      return;
    }
    const bytes = compressed ?? document.bytes;
    response.writeHead(status, {
      ...headers,
      ...(compressed ? { 'Content-Encoding': encoding.name } : {}),
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
    const document = { bytes, digest, encoded: new Map() };
    this.documents.set(name, document);
    return document;
  }

  private encode(
    name: string,
    { bytes, encoded }: Document,
    encoding: (typeof ENCODINGS)[number],
  ): Promise<Buffer | undefined> {
    const known = encoded.get(encoding.name);
    if (known) return known;
    const stored = this.stored.get(name + encoding.ending);
    const result = stored
      ? Promise.resolve(stored)
      : encoding.compress(bytes).then((smaller) => (smaller.length < bytes.length ? smaller : undefined));
    encoded.set(encoding.name, result);
    return result;
  }
}

function includesTag({ headers }: IncomingMessage, etag: string): boolean {
  const tags = (headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}

/** Reads all files of the directory into memory and returns a site that serves them. */
export function loadDocumentSite(directory: string): DocumentSite {
  return new DocumentSite(new Map(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name))])));
}
