/** Logger that discards everything. */
export const silentLogger = { info: () => undefined, warn: () => undefined, error: () => undefined };
