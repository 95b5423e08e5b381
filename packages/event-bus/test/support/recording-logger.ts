import type { EventBusLogger } from '../../src/logger.js';

/** Keeps what was logged, for tests that look at it. */
export class RecordingLogger implements EventBusLogger {
  readonly lines: { level: 'info' | 'warn' | 'error'; message: string; context: Record<string, unknown> }[] = [];

  info(message: string, context: Record<string, unknown> = {}): void {
    this.lines.push({ level: 'info', message, context });
  }

  warn(message: string, context: Record<string, unknown> = {}): void {
    this.lines.push({ level: 'warn', message, context });
  }

  error(message: string, context: Record<string, unknown> = {}): void {
    this.lines.push({ level: 'error', message, context });
  }
}
