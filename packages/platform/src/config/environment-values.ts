/** Converts the text of an environment variable to a number if it is an integer; other values are unchanged. */
export const toInteger = ({ value }: { value: unknown }) =>
  typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;

/** Host names of internal networks have no top-level domain. */
export const URL_OPTIONS = { require_tld: false, require_protocol: true };
