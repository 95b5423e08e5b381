import type { Scene } from './scene.js';
import { alarmClock } from './scenes/alarm-clock.js';
import { batteryLow } from './scenes/battery.js';
import { fileDeleted, fileListed, fileUnchanged } from './scenes/files.js';
import {
  allAcknowledged,
  allStored,
  contactUpdateDelivered,
  lastPointDelivered,
  lastPointInGetChild,
} from './scenes/delivery-guarantees.js';
import { locationRequested, watchRang, watchRestarted } from './scenes/remote.js';
import { schoolTimeEnds, schoolTimeBegins, schoolTimeEnforced } from './scenes/school-time.js';
import { sosAcknowledged, sosRaised, sosEscalated, sosResolved } from './scenes/sos.js';
import { strangerBlocked } from './scenes/stranger.js';
import { fenceLogComplete, walkToSchool } from './scenes/walk.js';

/** The scenes of the demo, in the order in which they run. */
export const SCENES: readonly Scene[] = [
  alarmClock,
  walkToSchool,
  fenceLogComplete,
  allAcknowledged,
  allStored,
  lastPointInGetChild,
  lastPointDelivered,
  contactUpdateDelivered,
  schoolTimeBegins,
  schoolTimeEnforced,
  strangerBlocked,
  batteryLow,
  sosRaised,
  sosEscalated,
  sosAcknowledged,
  sosResolved,
  locationRequested,
  watchRang,
  watchRestarted,
  schoolTimeEnds,
  fileListed,
  fileUnchanged,
  fileDeleted,
];
