/** Six bytes, with colons, hyphens or nothing between them. */
export const MAC_ADDRESS_PATTERN = /^[0-9a-fA-F]{2}(?:([:-]?)[0-9a-fA-F]{2})(?:\1[0-9a-fA-F]{2}){4}$/;

const MULTICAST = 0x01;
const LOCALLY_ADMINISTERED = 0x02;

/** Owners ask by the name of their network not to be mapped: Google's and Ichnaea's suffix, and Microsoft's word. */
const OPTED_OUT = /_nomap$|_optout/;

/** Twelve lower-case hexadecimal digits; `null` for what is no MAC address. */
export function normalizeMac(text: string): string | null {
  return MAC_ADDRESS_PATTERN.test(text) ? text.replace(/[:-]/g, '').toLowerCase() : null;
}

/**
 * Does this address belong to one device for good? Locally administered ones are drawn at random by phones, multicast
 * ones belong to nobody, and neither says where anything stands.
 */
export function isGloballyAdministeredMac(mac: string): boolean {
  const first = Number.parseInt(mac.slice(0, 2), 16);
  return (first & (MULTICAST | LOCALLY_ADMINISTERED)) === 0 && !/^0+$/.test(mac);
}

/** Has the owner asked not to be mapped? A hidden network, whose name is empty, has. */
export function isOptedOut(ssid: string | null | undefined): boolean {
  return ssid != null && (ssid === '' || OPTED_OUT.test(ssid));
}
