/** Returns the fields that have a value: an empty field of a form is no filter. */
export function filtersOf<Fields extends Record<string, string | number | undefined>>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], ''> } {
  const given = Object.entries(fields).filter(([, value]) => value !== '' && value !== undefined);
  return Object.fromEntries(given) as { [Name in keyof Fields]?: Exclude<Fields[Name], ''> };
}
