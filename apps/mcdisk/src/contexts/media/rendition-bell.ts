import { EventEmitter } from 'node:events';
import { Injectable } from '@nestjs/common';

/** Tells within the process that renditions are wanted and that some are done; what is rung elsewhere is found later. */
@Injectable()
export class RenditionBell {
  private readonly emitter = new EventEmitter<{ wanted: []; done: [] }>().setMaxListeners(0);

  wanted(): void {
    this.emitter.emit('wanted');
  }

  done(): void {
    this.emitter.emit('done');
  }

  onWanted(listener: () => void): void {
    this.emitter.on('wanted', listener);
  }

  /** Resolves at the next one that is done, and after `ms` milliseconds anyway. */
  async untilDone(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.emitter.once('done', resolve);
    await promise;
    clearTimeout(timer);
    this.emitter.off('done', resolve);
  }
}
