import type { Readable } from 'node:stream';
import { availableParallelism } from 'node:os';
import type { Environment } from '@family-watch/platform/config/environment';
import type { ResourceLimits } from '../process-limits.js';
import { RendererProcess, type RenderResult } from './renderer-process.js';
import type { RenderTask } from './render-task.js';

/** Time after which an idle renderer exits, which releases its memory. */
const IDLE_TIMEOUT_MS = 30_000;
/** Number of pictures after which a renderer is replaced, because decoders leak memory. */
const MAX_PICTURES_PER_RENDERER = 500;

interface PooledRenderer {
  renderer: RendererProcess;
  pictureCount: number;
}

/** A pool of renderers that are started on demand. */
export class RendererPool {
  private readonly idleRenderers: PooledRenderer[] = [];
  private readonly busyRenderers = new Set<PooledRenderer>();
  private readonly waitingForSlot: (() => void)[] = [];
  private idleTimer: NodeJS.Timeout | undefined;
  private isClosed = false;

  /** @param size maximum number of concurrent renderers */
  constructor(
    private readonly size: number,
    private readonly limits: ResourceLimits,
  ) {}

  /**
   * Renders a picture. Waits for a free renderer before it opens the source.
   * @throws the same errors as `RendererProcess.render`
   */
  async render<Result>(
    task: RenderTask,
    open: () => Promise<Readable>,
    consume: (rendered: RenderResult) => Promise<Result>,
  ): Promise<Result> {
    await this.waitForSlot();
    const pooled = this.acquire();
    try {
      return await pooled.renderer.render(task, await open(), consume);
    } finally {
      this.release(pooled);
    }
  }

  /** Kills all renderers; their current tasks fail. */
  close(): void {
    this.isClosed = true;
    clearTimeout(this.idleTimer);
    for (const { renderer } of [...this.idleRenderers, ...this.busyRenderers]) renderer.kill();
    this.idleRenderers.length = 0;
    for (const resume of this.waitingForSlot.splice(0)) resume();
  }

  private async waitForSlot(): Promise<void> {
    while (!this.isClosed && this.busyRenderers.size >= this.size) {
      await new Promise<void>((resolve) => this.waitingForSlot.push(resolve));
    }
    if (this.isClosed) throw new Error('The renderer pool is closed');
  }

  private acquire(): PooledRenderer {
    clearTimeout(this.idleTimer);
    const idleRenderer = this.idleRenderers.pop();
    const pooled = idleRenderer?.renderer.isAlive
      ? idleRenderer
      : { renderer: new RendererProcess(this.limits), pictureCount: 0 };
    this.busyRenderers.add(pooled);
    return pooled;
  }

  private release(pooled: PooledRenderer): void {
    this.busyRenderers.delete(pooled);
    pooled.pictureCount += 1;
    const { renderer } = pooled;
    if (this.isClosed || pooled.pictureCount >= MAX_PICTURES_PER_RENDERER || renderer.exceedsMemoryThreshold)
      renderer.kill();
    if (renderer.isAlive) this.idleRenderers.push(pooled);
    clearTimeout(this.idleTimer);
    this.idleTimer = setTimeout(() => this.killIdle(), IDLE_TIMEOUT_MS).unref();
    this.waitingForSlot.shift()?.();
  }

  private killIdle(): void {
    for (const { renderer } of this.idleRenderers.splice(0)) renderer.kill();
  }
}

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
