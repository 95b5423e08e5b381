/** Text of an environment variable as a number, where it is one. */
export const toInteger = ({ value }: { value: unknown }) =>
  typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;

/** Addresses inside a network have no top-level domain. */
export const URL_OPTIONS = { require_tld: false, require_protocol: true };
