/** Kinds of mobile networks, by the names that Ichnaea's geolocate interface gives them. */
export const RADIO_TYPE = { GSM: 'gsm', WCDMA: 'wcdma', LTE: 'lte', NR: 'nr' } as const;
export type RadioType = (typeof RADIO_TYPE)[keyof typeof RADIO_TYPE];

/** An access point as a watch hears it. */
export interface AccessPoint {
  macAddress: string;
  /** dBm. */
  signalStrength?: number | null;
  /** Looked at for the owner's wish not to be mapped, and never kept. */
  ssid?: string | null;
}

/** A cell as a watch hears it. */
export interface CellTower {
  radioType: RadioType;
  mobileCountryCode: number;
  mobileNetworkCode: number;
  /** Location area of GSM and WCDMA, tracking area of LTE and NR. */
  locationAreaCode: number;
  cellId: number;
  /** dBm. */
  signalStrength?: number | null;
}

/** What can be heard at a place. */
export interface RadioEnvironment {
  wifiAccessPoints: AccessPoint[];
  cellTowers: CellTower[];
}

/** Access points, or cells, that one request may name. */
export const MAX_OBSERVED_NETWORKS = 100;

/** The weakest and the strongest that a signal can honestly be. dBm. */
export const SIGNAL_STRENGTH_RANGE_DBM = { min: -200, max: 0 } as const;
