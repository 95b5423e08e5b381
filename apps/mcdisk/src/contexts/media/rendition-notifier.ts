import { EventEmitter } from 'node:events';
import { Injectable } from '@nestjs/common';

/**
 * Notifies listeners in the same process when renditions are requested or completed. Other processes poll the database
 * for new and completed renditions.
 */
@Injectable()
export class RenditionNotifier {
  private readonly emitter = new EventEmitter<{ requested: []; completed: [] }>().setMaxListeners(0);

  notifyRequested(): void {
    this.emitter.emit('requested');
  }

  notifyCompleted(): void {
    this.emitter.emit('completed');
  }

  onRequested(listener: () => void): void {
    this.emitter.on('requested', listener);
  }

  /** Resolves when the next rendition is completed, or after `ms` milliseconds. */
  async waitForCompletion(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.emitter.once('completed', resolve);
    await promise;
    clearTimeout(timer);
    this.emitter.off('completed', resolve);
  }
}
