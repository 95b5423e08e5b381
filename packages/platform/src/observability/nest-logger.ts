import type { LoggerService } from '@nestjs/common';
import type { Logger } from './logger.js';

/** A fixed, searchable message with fields. `err` contains an error. */
type LogEntry = { msg: string } & Record<string, unknown>;

/**
 * Forwards entries of Nest's `Logger` to the process's logger. Fields are preserved; `log` writes at level `info`.
 * Plain strings are start-up messages of the framework and are written at level `debug`.
 */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: string): void {
    this.logger[typeof message === 'string' ? 'debug' : 'info'](toLogEntry(message, { context }));
  }

  warn(message: unknown, context?: string): void {
    this.logger.warn(toLogEntry(message, { context }));
  }

  error(message: unknown, stack?: string, context?: string): void {
    this.logger.error(toLogEntry(message, { context, stack }));
  }

  fatal(message: unknown, context?: string): void {
    this.logger.fatal(toLogEntry(message, { context }));
  }

  debug(message: unknown, context?: string): void {
    this.logger.debug(toLogEntry(message, { context }));
  }
}

function toLogEntry(message: unknown, origin: { context?: string; stack?: string }): LogEntry {
  if (message instanceof Error) return { ...origin, err: message, msg: 'Unexpected error' };
  if (isLogEntry(message)) return { ...origin, ...message };
  return { ...origin, msg: String(message) };
}

function isLogEntry(message: unknown): message is LogEntry {
  return typeof message === 'object' && message !== null && 'msg' in message;
}
