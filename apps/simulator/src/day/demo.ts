import { readFile } from 'node:fs/promises';
import type { Narrator } from '../narrator.js';
import type { Credentials } from '../people/person.js';
import { parseGpx } from '../track/gpx.js';
import { toJourney, defaultRoute } from '../track/journey.js';
import type { JourneyPoint } from '../track/journey.js';
import { runScenes } from './scene.js';
import type { Scene, SceneResult } from './scene.js';
import {
  allAcknowledged,
  allStored,
  contactUpdateDelivered,
  lastPointDelivered,
  lastPointInGetChild,
} from './scenes/delivery-guarantees.js';
import { fileDeleted, fileListed, fileUnchanged } from './scenes/files.js';
import { schoolTimeEnds, schoolTimeBegins, schoolTimeEnforced } from './scenes/school-time.js';
import { sosAcknowledged, sosRaised, sosEscalated, sosResolved } from './scenes/sos.js';
import { fenceLogComplete, walkToSchool } from './scenes/walk.js';
import {
  alarmClock,
  batteryLow,
  locationRequested,
  watchRang,
  watchRestarted,
  strangerBlocked,
} from './scenes/watch-scenes.js';
import { setUpSchoolDay } from './school-day.js';

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

export interface DemoResult {
  /** Results of the scenes; the name of the property is a key of the JSON summary. */
  proofs: SceneResult[];
  /** Number of location points in the walk to school. */
  points: number;
  /** Number of points that the watch reported and the service acknowledged. */
  acknowledged: number;
  /** Reconnections of the watch and both adults. */
  reconnections: number;
  credentials: Credentials;
}

/** Reads the journey from a GPX file, or returns the default journey. @throws GpxError or a file system error */
export async function readJourney(track: string | undefined): Promise<JourneyPoint[]> {
  return toJourney(track === undefined ? defaultRoute() : parseGpx(await readFile(track, 'utf8')));
}

/** Signs up a family, simulates its school day and checks the guarantees of the service. */
export async function runDemo(
  server: { url: string; smsFile: string },
  journey: readonly JourneyPoint[],
  speed: number,
  narrator: Narrator,
): Promise<DemoResult> {
  const disconnects: (() => void)[] = [];
  try {
    const day = await setUpSchoolDay(server, journey, speed, narrator, (disconnect) => disconnects.push(disconnect));
    const results = await runScenes(SCENES, day);
    const { mother, granny, watch, walk } = day;
    const reconnections = [mother, granny, watch].reduce((sum, { timesReconnected }) => sum + timesReconnected, 0);
    const { acknowledged } = watch.positioning;
    return { proofs: results, points: walk.length, acknowledged, reconnections, credentials: mother.credentials };
  } finally {
    for (const disconnect of disconnects) disconnect();
  }
}
