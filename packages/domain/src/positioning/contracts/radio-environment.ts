/** Radio technologies, with the names of Ichnaea's geolocate API. */
export const RADIO_TYPE = { GSM: 'gsm', WCDMA: 'wcdma', LTE: 'lte', NR: 'nr' } as const;
export type RadioType = (typeof RADIO_TYPE)[keyof typeof RADIO_TYPE];

/** An access point observed by a watch. */
export interface AccessPoint {
  macAddress: string;
  /** dBm. */
  signalStrength?: number | null;
  /** Network name, only used to detect opted-out networks and never stored. */
  ssid?: string | null;
}

/** A cell observed by a watch. */
export interface CellTower {
  radioType: RadioType;
  mobileCountryCode: number;
  mobileNetworkCode: number;
  /** Location area code (GSM, WCDMA) or tracking area code (LTE, NR). */
  locationAreaCode: number;
  cellId: number;
  /** dBm. */
  signalStrength?: number | null;
}

/** The networks observed at a location. */
export interface RadioEnvironment {
  wifiAccessPoints: AccessPoint[];
  cellTowers: CellTower[];
}

/** Maximum number of access points, and of cells, per request. */
export const MAX_OBSERVED_NETWORKS = 100;

/** Valid range of signal strengths, in dBm. */
export const SIGNAL_STRENGTH_RANGE_DBM = { min: -200, max: 0 } as const;
