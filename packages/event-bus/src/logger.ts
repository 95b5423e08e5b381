/** Logger interface of this package, implemented by adapters of pino and by test doubles. */
export interface EventBusLogger {
  info(message: string, context?: Record<string, unknown>): void;
  warn(message: string, context?: Record<string, unknown>): void;
  error(message: string, context?: Record<string, unknown>): void;
}

/** Maximum length of an error that is stored with an event. */
const MAX_LENGTH = 2_000;

/** Returns an error as text that Postgres can store: without NUL and lone surrogates, which messages may quote. */
export function errorText(error: unknown): string {
  return String(error).replaceAll('\u0000', '').toWellFormed().slice(0, MAX_LENGTH).toWellFormed();
}

/** Command that log lines name for operators. */
export const OPERATOR_COMMAND = 'npm run operator -- dead-letters list';
