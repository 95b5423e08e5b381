/** Six bytes in hexadecimal, separated by colons, hyphens or nothing. */
export const MAC_ADDRESS_PATTERN = /^[0-9a-fA-F]{2}(?:([:-]?)[0-9a-fA-F]{2})(?:\1[0-9a-fA-F]{2}){4}$/;

const MULTICAST_BIT = 0x01;
const LOCALLY_ADMINISTERED_BIT = 0x02;

/**
 * Network names by which owners opt out of mapping: the suffix that Google and Ichnaea define, and the word that
 * Microsoft defines.
 */
const OPT_OUT_PATTERN = /_nomap$|_optout/;

/** Returns twelve lower-case hexadecimal digits, or `null` if the text is not a MAC address. */
export function normalizeMac(text: string): string | null {
  return MAC_ADDRESS_PATTERN.test(text) ? text.replace(/[:-]/g, '').toLowerCase() : null;
}

/**
 * Returns true if the address permanently belongs to one device. Phones choose locally administered addresses at
 * random, and multicast addresses belong to no device; neither kind of address helps to determine a location.
 */
export function isGloballyAdministeredMac(mac: string): boolean {
  const first = Number.parseInt(mac.slice(0, 2), 16);
  return (first & (MULTICAST_BIT | LOCALLY_ADMINISTERED_BIT)) === 0 && !/^0+$/.test(mac);
}

/** Returns true if the owner has opted out of mapping. A hidden network, whose name is empty, counts as opted out of mapping. */
export function isOptedOut(ssid: string | null | undefined): boolean {
  return ssid != null && (ssid === '' || OPT_OUT_PATTERN.test(ssid));
}
