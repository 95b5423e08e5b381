import { availableParallelism } from 'node:os';
import type { Environment } from '@family-watch/platform/config/environment';

const MEBIBYTE = 1024 * 1024;
/** Number of CPU cores per renderer, unless MEDIA_WORKERS is set. */
const CORES_PER_RENDERER = 4;
const MAX_DEFAULT_WORKERS = 4;

/** Settings that limit the resources for the generation of renditions. */
export class MediaSettings {
  /** Number of concurrent renderers; 0 disables renditions. */
  readonly rendererCount: number;
  readonly resourceLimits = { timeMs: 2 * 60_000, memoryBytes: 1_536 * MEBIBYTE };

  constructor({ MEDIA_WORKERS }: Pick<Environment, 'MEDIA_WORKERS'>) {
    this.rendererCount =
      MEDIA_WORKERS ??
      Math.min(Math.max(Math.floor(availableParallelism() / CORES_PER_RENDERER), 1), MAX_DEFAULT_WORKERS);
  }
}
