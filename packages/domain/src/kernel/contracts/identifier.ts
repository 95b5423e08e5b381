const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The smallest UUID: a page that starts after this id is the first page, because no id is smaller. */
export const MIN_UUID = '00000000-0000-0000-0000-000000000000';

/**
 * Returns true for a lower-case UUID, the only form in which the service issues ids. Each id therefore has exactly one
 * spelling in keys and events. A text that is not a lower-case UUID is an unknown id and needs no database query.
 */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** UUIDs that are a whole id, the id of a principal (`user:<id>`), or a folder of a path (`root:/<id>/<id>`). */
const UUIDS_IN_ANY_CASE = /(?<![^:/])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![^/])/gi;

/**
 * Returns an id with its UUIDs in lower case, and every other text unchanged: clients may send UUIDs in either case
 * (RFC 9562, section 4).
 */
export function normalizeId(text: string): string {
  return /[A-F]/.test(text) ? text.replace(UUIDS_IN_ANY_CASE, (uuid) => uuid.toLowerCase()) : text;
}
