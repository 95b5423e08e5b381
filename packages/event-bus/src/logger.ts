/** Logger interface of this package, implemented by adapters of pino and by test doubles. */
export interface EventBusLogger {
  info(message: string, context?: Record<string, unknown>): void;
  warn(message: string, context?: Record<string, unknown>): void;
  error(message: string, context?: Record<string, unknown>): void;
}

/** Maximum number of characters of an error that is stored with an event. */
const MAX_ERROR_TEXT_LENGTH = 2_000;

/**
 * Returns an error as text that Postgres can store: without NUL and lone surrogates, which an error message may quote
 * from an event.
 */
export function errorText(error: unknown): string {
  return String(error).replaceAll('\u0000', '').toWellFormed().slice(0, MAX_ERROR_TEXT_LENGTH).toWellFormed();
}

/** Command that shows dead letters to an operator; log lines about unprocessed events contain the command. */
export const OPERATOR_COMMAND = 'npm run operator -- dead-letters list';
