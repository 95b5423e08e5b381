import { readFile } from 'node:fs/promises';
import type { Narrator } from '../narrator.js';
import type { Credentials } from '../people/person.js';
import { parseGpx } from '../track/gpx.js';
import { toJourney } from '../track/journey.js';
import type { JourneyPoint } from '../track/journey.js';
import { defaultRoute } from '../track/default-route.js';
import { runScenes } from './scene.js';
import type { SceneResult } from './scene.js';
import { SCENES } from './scenes.js';
import { setUpSchoolDay } from './school-day.js';

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
