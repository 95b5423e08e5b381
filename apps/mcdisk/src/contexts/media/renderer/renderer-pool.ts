import type { Readable } from 'node:stream';
import type { ResourceLimits } from '../processes/process-limits.js';
import { RendererProcess } from './renderer-process.js';
import type { RenderResult } from './renderer-process.js';
import type { RenderTask } from './render-task.js';

/** A renderer that had nothing to do for so long ends, and gives its memory back. */
const IDLE_MS = 30_000;
/** Pictures after which a renderer makes room for a fresh one: decoders leak. */
const PICTURES_OF_ONE = 500;

interface Member {
  renderer: RendererProcess;
  rendered: number;
}

/** A few renderers, started when there is something to do. */
export class RendererPool {
  private readonly resting: Member[] = [];
  private readonly busy = new Set<Member>();
  private readonly waiting: (() => void)[] = [];
  private idleTimer: NodeJS.Timeout | undefined;
  private isClosed = false;

  /** @param size renderers at the same time */
  constructor(
    private readonly size: number,
    private readonly limits: ResourceLimits,
  ) {}

  /**
   * Waits for a renderer that is free; the source is opened only then.
   * @throws as `RendererProcess.render`
   */
  async render<Result>(
    task: RenderTask,
    open: () => Promise<Readable>,
    consume: (rendered: RenderResult) => Promise<Result>,
  ): Promise<Result> {
    await this.turn();
    const member = this.take();
    try {
      return await member.renderer.render(task, await open(), consume);
    } finally {
      this.give(member);
    }
  }

  /** Ends them all; what they were doing fails. */
  close(): void {
    this.isClosed = true;
    clearTimeout(this.idleTimer);
    for (const { renderer } of [...this.resting, ...this.busy]) renderer.kill();
    this.resting.length = 0;
    for (const wake of this.waiting.splice(0)) wake();
  }

  private async turn(): Promise<void> {
    while (!this.isClosed && this.busy.size >= this.size) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    if (this.isClosed) throw new Error('The renderers have been closed');
  }

  private take(): Member {
    clearTimeout(this.idleTimer);
    const rested = this.resting.pop();
    const member = rested?.renderer.isAlive ? rested : { renderer: new RendererProcess(this.limits), rendered: 0 };
    this.busy.add(member);
    return member;
  }

  private give(member: Member): void {
    this.busy.delete(member);
    member.rendered += 1;
    const { renderer } = member;
    if (this.isClosed || member.rendered >= PICTURES_OF_ONE || renderer.exceedsMemoryThreshold) renderer.kill();
    if (renderer.isAlive) this.resting.push(member);
    this.idleTimer = setTimeout(() => this.endResting(), IDLE_MS).unref();
    this.waiting.shift()?.();
  }

  private endResting(): void {
    for (const { renderer } of this.resting.splice(0)) renderer.kill();
  }
}
