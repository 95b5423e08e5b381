const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Returns true for a lower-case UUID, the only form in which the service issues ids. Other texts are unknown ids and
 * need no database query. So each id has exactly one spelling in keys and events.
 */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
