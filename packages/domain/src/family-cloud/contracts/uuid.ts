const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** True for an id in the one form in which the service hands it out; anything else names nothing. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
