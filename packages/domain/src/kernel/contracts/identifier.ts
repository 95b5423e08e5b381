const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Is this text a UUID? What is not one can name nothing, so the database need not be asked. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
