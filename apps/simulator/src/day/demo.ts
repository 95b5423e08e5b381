import { readFile } from 'node:fs/promises';
import type { Narrator } from '../narrator.js';
import type { Credentials } from '../people/person.js';
import { parseGpx } from '../track/gpx.js';
import { toJourney, defaultRoute, type JourneyPoint } from '../track/journey.js';
import { runScenes, type Scene, type SceneResult } from './scene.js';
import {
  everyPointAcknowledged,
  everyPointStored,
  contactUpdateDelivered,
  lastPointDelivered,
  lastPointInGetChild,
} from './scenes/delivery-guarantees.js';
import { fileDeleted, fileListed, fileUnchanged } from './scenes/files.js';
import { schoolTimeEnds, schoolTimeBegins, schoolTimeEnforced } from './scenes/school-time.js';
import { sosAcknowledged, sosRaised, sosEscalated, sosResolved } from './scenes/sos.js';
import { fenceLogComplete, walkToSchool } from './scenes/walk.js';
import {
  alarmApplied,
  lowBatteryAlerted,
  locationRequested,
  watchRang,
  watchRestarted,
  strangerBlocked,
} from './scenes/watch-scenes.js';
import { setUpSchoolDay } from './school-day.js';

/** The scenes of the demo, in the order in which they run. */
export const SCENES: readonly Scene[] = [
  alarmApplied,
  walkToSchool,
  fenceLogComplete,
  everyPointAcknowledged,
  everyPointStored,
  lastPointInGetChild,
  lastPointDelivered,
  contactUpdateDelivered,
  schoolTimeBegins,
  schoolTimeEnforced,
  strangerBlocked,
  lowBatteryAlerted,
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
  /** Results of the scenes; `proofs` is the name of this property in the JSON summary. */
  proofs: SceneResult[];
  /** Number of location points in the walk to school. */
  points: number;
  /** Number of points that the watch reported and the service acknowledged. */
  acknowledged: number;
  /** Number of reconnections of the watch and of both adults. */
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
  const disconnectFunctions: (() => void)[] = [];
  try {
    const day = await setUpSchoolDay(server, journey, speed, narrator, (disconnect) =>
      disconnectFunctions.push(disconnect),
    );
    const results = await runScenes(SCENES, day);
    const { mother, granny, watch, walk } = day;
    const reconnections = [mother, granny, watch].reduce((sum, { reconnectionCount }) => sum + reconnectionCount, 0);
    const { acknowledgedCount: acknowledged } = watch.locationReporter;
    return { proofs: results, points: walk.length, acknowledged, reconnections, credentials: mother.credentials };
  } finally {
    for (const disconnect of disconnectFunctions) disconnect();
  }
}
