const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Is this text a UUID in lower case, the one form in which the service hands ids out? Anything else names nothing,
 * so the database need not be asked; and one thing never goes by two spellings in keys and events.
 */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
