/** Logger interface of this package, implemented by adapters of pino and by test doubles. */
export interface EventBusLogger {
  info(message: string, context?: Record<string, unknown>): void;
  warn(message: string, context?: Record<string, unknown>): void;
  error(message: string, context?: Record<string, unknown>): void;
}
