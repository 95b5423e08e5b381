/** Maximum length of an error that is stored with an event. */
const MAX_LENGTH = 2_000;

/** Returns an error as text that Postgres can store: without NUL and lone surrogates, which messages may quote. */
export function errorText(error: unknown): string {
  return String(error).replaceAll('\u0000', '').toWellFormed().slice(0, MAX_LENGTH).toWellFormed();
}
