/** Converts the text of an environment variable to a number if it is an integer; other values are unchanged. */
export const toInteger = ({ value }: { value: unknown }) =>
  typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;

/** Converts the text of an environment variable to a number if it is a decimal number; other values are unchanged. */
export const toFraction = ({ value }: { value: unknown }) =>
  typeof value === 'string' && /^\d(\.\d{1,9})?$/.test(value) ? Number(value) : value;

/** Returns the entries of a comma-separated list without the spaces around them; empty entries are omitted. */
export function parseList(list = ''): string[] {
  return list.split(',').flatMap((entry) => entry.trim() || []);
}

/** Accepts host names without a top-level domain, as internal networks use them. */
export const URL_OPTIONS = { require_tld: false, require_protocol: true };

/** Origins as browsers send them (RFC 6454, 6.2): lower case, without a path, without the default port. */
export const ORIGIN_LIST = /^https?:\/\/[a-z0-9.-]+(:\d{1,5})?(, ?https?:\/\/[a-z0-9.-]+(:\d{1,5})?)*$/;
