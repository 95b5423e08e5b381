import { QueryFailedError } from 'typeorm';

const UNIQUE_VIOLATION = '23505';

/** Returns the name of the violated unique constraint, or `undefined` if the error has another cause. */
export function violatedUniqueConstraint(error: unknown): string | undefined {
  if (!(error instanceof QueryFailedError)) return undefined;
  const { code, constraint } = error.driverError as { code?: string; constraint?: string };
  return code === UNIQUE_VIOLATION ? (constraint ?? '') : undefined;
}
