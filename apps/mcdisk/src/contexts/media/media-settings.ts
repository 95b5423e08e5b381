import { availableParallelism } from 'node:os';
import type { Environment } from '@family-watch/platform/config/environment';

const MEBIBYTE = 1024 * 1024;
/** Cores for each renderer, unless it is said how many there are. */
const CORES_OF_ONE = 4;
const MOST = 4;

/** How much the making of renditions may take. */
export class MediaSettings {
  /** Renderers at the same time; 0: nothing is made. */
  readonly workers: number;
  readonly limits = { timeMs: 2 * 60_000, memory: 1_536 * MEBIBYTE };

  constructor({ MEDIA_WORKERS }: Pick<Environment, 'MEDIA_WORKERS'>) {
    this.workers = MEDIA_WORKERS ?? Math.min(Math.max(Math.floor(availableParallelism() / CORES_OF_ONE), 1), MOST);
  }
}
