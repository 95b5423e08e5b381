import { statSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { basename, dirname, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { send } from '@fastify/send';
import type { ConsoleEnvironment } from '@family-watch/platform/config/variables/console.environment';
import type { StorageEnvironment } from '@family-watch/platform/config/variables/storage.environment';
import { respondError } from '@family-watch/platform/http/error-response';

const DEFAULT_NAME = 'map.pmtiles';

/** The map of the demo's quarter, which `npm run demo -- --keep` writes (apps/simulator/src/week/map). */
const DEMO_NAME = 'demo-map.pmtiles';

/** The file with the streets of an area, of which browsers read ranges. */
export class MapFile {
  private constructor(
    private readonly path: string,
    private readonly demoPath: string,
  ) {}

  /** @throws Error if MAP_FILE names no file */
  static of({
    MAP_FILE,
    DATA_DIR,
  }: Pick<ConsoleEnvironment, 'MAP_FILE'> & Pick<StorageEnvironment, 'DATA_DIR'>): MapFile {
    const path = resolve(DATA_DIR, MAP_FILE ?? DEFAULT_NAME);
    if (MAP_FILE !== undefined && !isFile(path)) throw new Error(`MAP_FILE: there is no file ${path}`);
    return new MapFile(path, resolve(DATA_DIR, DEMO_NAME));
  }

  exists(): boolean {
    return this.isOfOperator() || isFile(this.demoPath);
  }

  /** The map of the demo shows only the quarter of the demo. */
  isOfOperator(): boolean {
    return isFile(this.path);
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = this.isOfOperator() ? this.path : this.demoPath;
    const file = await send(request, encodeURIComponent(basename(path)), {
      root: dirname(path),
      dotfiles: 'allow',
      maxAge: 0,
    });
    if (file.statusCode === 404) {
      respondError('ROUTE_NOT_FOUND', request.url ?? '/', response);
      return;
    }
    const type = file.type === 'file' ? { 'Content-Type': 'application/vnd.pmtiles' } : {};
    response.writeHead(file.statusCode, { ...file.headers, ...type, 'X-Content-Type-Options': 'nosniff' });
    // A browser that closes the connection ends the stream.
    await pipeline(file.stream, response).catch(() => undefined);
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
