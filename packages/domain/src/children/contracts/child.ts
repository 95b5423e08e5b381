import type { Location } from '../../locations/contracts/location.js';
import type { Gender } from './gender.js';

/** How long a deleted child can be restored, milliseconds (seven days). */
export const CHILD_RESTORE_WINDOW_MS = 7 * 24 * 60 * 60 * 1000;

/** The watch as GetChild shows it (specification 2.2); levels are 0 until the watch has said them. */
export interface ChildDevice {
  did: number;
  battery: number;
  signal: number;
  signalMax: number;
  /** For the family cloud: restricts what the Bearer may do there, and opens nothing by itself. */
  ticket: string;
}

/** An item of GetChild's list (specification 2.1). */
export interface ChildSummary {
  cid: string;
  /** Steps of today in the child's time zone. */
  stepCount: number;
  name: string;
  avatar?: string;
  device: ChildDevice | null;
  lastLocation: Location | null;
}

/** Every field of a child (specification 2.5 and the child's own context). */
export interface ChildDetail {
  cid: string;
  familyId: string;
  name: string;
  phoneNumber: string;
  /** With `+`. */
  areaCode: string;
  avatar?: string;
  birthday?: string;
  appellation: string;
  gender: Gender;
  weight: number;
  height: number;
  /** IANA name. */
  timeZone: string;
}
