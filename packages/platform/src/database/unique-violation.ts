import { QueryFailedError } from 'typeorm';

const UNIQUE_VIOLATION = '23505';

/** Name of the unique constraint for which a statement failed; `undefined` if it failed for something else. */
export function violatedUniqueConstraint(error: unknown): string | undefined {
  if (!(error instanceof QueryFailedError)) return undefined;
  const { code, constraint } = error.driverError as { code?: string; constraint?: string };
  return code === UNIQUE_VIOLATION ? (constraint ?? '') : undefined;
}
