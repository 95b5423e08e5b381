const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Texts of other forms name nothing; asking the database about them would be an error of the database. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
