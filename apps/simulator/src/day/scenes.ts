import type { Scene } from './scene.js';
import { alarmClock } from './scenes/alarm-clock.js';
import { batteryLow } from './scenes/battery.js';
import { fileDeleted, fileListed, fileUnchanged } from './scenes/files.js';
import { allAcknowledged, allStored, contactUpdateDelivered, lastDelivered, lastShown } from './scenes/nothing-lost.js';
import { asked, found, restarted } from './scenes/remote.js';
import { schoolIsOver, schoolTimeBegins, schoolTimeHolds } from './scenes/school-time.js';
import { helpAcknowledged, helpCalled, helpEscalated, helpResolved } from './scenes/sos.js';
import { strangerBlocked } from './scenes/stranger.js';
import { wayLogged, wayToSchool } from './scenes/walk.js';

/** The day, in its order. */
export const SCENES: readonly Scene[] = [
  alarmClock,
  wayToSchool,
  wayLogged,
  allAcknowledged,
  allStored,
  lastShown,
  lastDelivered,
  contactUpdateDelivered,
  schoolTimeBegins,
  schoolTimeHolds,
  strangerBlocked,
  batteryLow,
  helpCalled,
  helpEscalated,
  helpAcknowledged,
  helpResolved,
  asked,
  found,
  restarted,
  schoolIsOver,
  fileListed,
  fileUnchanged,
  fileDeleted,
];
