import type { EventBusLogger } from '../../src/logger.js';

/** Records log entries for assertions. */
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
