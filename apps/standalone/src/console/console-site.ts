import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConsoleEnvironment } from '@family-watch/platform/config/variables/console.environment';
import { parseList } from '@family-watch/platform/config/variables/text-values';
import { DocumentSite } from '../documents/document-site.js';
import type { MapFile } from './map-file.js';

const PAGE_PATHS_FILE = fileURLToPath(import.meta.resolve('@family-watch/console/page-paths.json'));
const DIST = join(dirname(PAGE_PATHS_FILE), 'dist');

/** Paths of the console's pages: each path itself, and all paths below it. The console's router decides about those. */
export const CONSOLE_PAGES = JSON.parse(readFileSync(PAGE_PATHS_FILE, 'utf8')) as readonly string[];

/** Path of what the page reads at its start (`apps/console/src/features/locations/map/map-config.ts`). */
export const CONSOLE_CONFIG = '/console-config.json';

/** Paths of the other files: icons, the manifest of the installable page, and the worker of its notifications. */
export const CONSOLE_FILES = [
  '/icon-192.png',
  '/icon-512.png',
  '/icon.svg',
  '/manifest.webmanifest',
  '/service-worker.js',
] as const;

/** Path of the streets of an area (`MAP_FILE`). */
export const CONSOLE_MAP = '/map.pmtiles';

/** Where people get streets from if they choose so (`MAP_PUBLIC_TILES`). */
const PUBLIC_TILES_ORIGIN = 'https://tiles.openfreemap.org';

/** Path of the scripts and styles. Their names contain a digest of their content. */
export const CONSOLE_ASSETS = '/console-assets/';

/**
 * Scripts are files of this service only. Mantine creates style elements. `'self'` includes the WebSocket of the same
 * host. Pictures and recordings of users are shown from memory (`blob:`).
 */
const contentSecurityPolicy = (mapOrigins: readonly string[]) => {
  const own = ["'self'", ...mapOrigins].join(' ');
  return (
    `default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src ${own} blob: data:; ` +
    `font-src 'self'; connect-src ${own}; media-src 'self' blob:; worker-src 'self' blob:; manifest-src 'self'; ` +
    "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  );
};

/** The headers of the page without settings of the operator. */
export const PAGE_HEADERS = {
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': contentSecurityPolicy([PUBLIC_TILES_ORIGIN]),
  'Referrer-Policy': 'no-referrer',
  // The content of `/` depends on Accept: programs get the start page.
  Vary: 'Accept, Accept-Encoding',
} satisfies OutgoingHttpHeaders;

export const ASSET_HEADERS = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  Vary: 'Accept-Encoding',
} satisfies OutgoingHttpHeaders;

const FILE_HEADERS = { 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' } satisfies OutgoingHttpHeaders;

/** Returns whether the console has the path, except `/`, which programs also request. */
export function isConsolePath(path: string): boolean {
  return (
    path.startsWith(CONSOLE_ASSETS) ||
    isConsoleFile(path) ||
    CONSOLE_PAGES.some((page) => path === page || path.startsWith(`${page}/`))
  );
}

/** First segments of paths that are not for people: what is unknown below them is an error, not a page. */
export const PROGRAM_PATHS = [
  'apis',
  'app-api',
  'console-assets',
  'docs',
  'health',
  'hmd-wx',
  'metrics',
  'share',
  'socket.io',
  'v1',
] as const;

const PROGRAM_PATH = new RegExp(`^/(?:${PROGRAM_PATHS.join('|')})(?:/|$)`);

/** Returns whether a path that nothing serves can be a mistyped page: no path of programs, and no name of a file. */
export function isUnknownPage(path: string): boolean {
  return /^\/[^/.][^.]*$/.test(path) && !PROGRAM_PATH.test(path);
}

function isConsoleFile(path: string): boolean {
  return path === CONSOLE_CONFIG || path === CONSOLE_MAP || (CONSOLE_FILES as readonly string[]).includes(path);
}

/** Serves the page of the console for all its paths, its assets, and the map. */
export class ConsoleSite {
  private constructor(
    private readonly files: DocumentSite,
    private readonly map: MapFile,
    private readonly environment: ConsoleEnvironment,
  ) {}

  /** Reads the built console into memory. */
  static load(environment: ConsoleEnvironment, map: MapFile): ConsoleSite {
    const names = readdirSync(DIST, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    const files = new Map(names.map((name) => [name.slice(DIST.length + 1), readFileSync(name)]));
    return new ConsoleSite(new DocumentSite(files), map, environment);
  }

  /** Sends an asset or another file, or the page for all other paths. The page says by itself that it is unknown. */
  async serve(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (path.startsWith(CONSOLE_ASSETS)) await this.files.serve(path.slice(1), request, response, ASSET_HEADERS);
    else if (path === CONSOLE_CONFIG) this.sendConfig(response);
    else if (path === CONSOLE_MAP) await this.map.serve(request, response);
    else if (isConsoleFile(path)) await this.files.serve(path.slice(1), request, response, FILE_HEADERS);
    else {
      const status = path === '/' || isConsolePath(path) ? 200 : 404;
      await this.files.serve('index.html', request, response, this.pageHeaders(), status);
    }
  }

  /** The map file may appear while the service runs. */
  private sendConfig(response: ServerResponse): void {
    const { MAP_STYLE_URL, MAP_COORDINATES } = this.environment;
    const config = {
      mapStyleUrl: MAP_STYLE_URL ?? null,
      mapCoordinates: MAP_COORDINATES,
      mapFile: this.map.exists() ? CONSOLE_MAP : null,
      publicTiles: this.hasPublicTiles(),
    };
    response
      .writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-cache' })
      .end(JSON.stringify(config));
  }

  private pageHeaders(): OutgoingHttpHeaders {
    const { MAP_STYLE_URL, MAP_ORIGINS } = this.environment;
    const origins = MAP_STYLE_URL === undefined ? [] : [new URL(MAP_STYLE_URL).origin, ...parseList(MAP_ORIGINS)];
    if (this.hasPublicTiles()) origins.push(PUBLIC_TILES_ORIGIN);
    return { ...PAGE_HEADERS, 'Content-Security-Policy': contentSecurityPolicy(origins) };
  }

  private hasPublicTiles(): boolean {
    const { MAP_STYLE_URL, MAP_PUBLIC_TILES } = this.environment;
    return MAP_STYLE_URL === undefined && MAP_PUBLIC_TILES === 'yes' && !this.map.isOfOperator();
  }
}
