/** A MAC address: six bytes in hexadecimal, separated by colons, by hyphens or not at all. */
export const MAC_ADDRESS_PATTERN = /^[0-9a-fA-F]{2}(?:([:-]?)[0-9a-fA-F]{2})(?:\1[0-9a-fA-F]{2}){4}$/;

/** Radio technologies, with the names of Ichnaea's geolocate API. */
export const RADIO_TYPE = { GSM: 'gsm', WCDMA: 'wcdma', LTE: 'lte', NR: 'nr' } as const;
export type RadioType = (typeof RADIO_TYPE)[keyof typeof RADIO_TYPE];

/** Maximum number of access points, and of cells, per request. */
export const MAX_OBSERVED_NETWORKS = 100;

/** Valid range of signal strengths, in dBm. */
export const SIGNAL_STRENGTH_RANGE_DBM = { min: -200, max: 0 } as const;

/** Kinds of networks whose locations the service estimates: Wi-Fi access points, cells, and areas of many cells. */
export const NETWORK_KIND = { WIFI: 'WIFI', CELL: 'CELL', AREA: 'AREA' } as const;
export type NetworkKind = (typeof NETWORK_KIND)[keyof typeof NETWORK_KIND];
