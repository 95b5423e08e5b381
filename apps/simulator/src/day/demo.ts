import { readFile } from 'node:fs/promises';
import type { Narrator } from '../narrator.js';
import type { Credentials } from '../people/person.js';
import { parseGpx } from '../track/gpx.js';
import { toJourney } from '../track/journey.js';
import type { JourneyPoint } from '../track/journey.js';
import { defaultRoute as usualWay } from '../track/default-route.js';
import { runScenes } from './scene.js';
import type { SceneResult } from './scene.js';
import { SCENES } from './scenes.js';
import { setUpSchoolDay } from './school-day.js';

export interface DemoResult {
  proofs: SceneResult[];
  /** Of the way to school. */
  points: number;
  /** Of all that the watch has reported. */
  acknowledged: number;
  /** Of the watch and the grown-ups together. */
  reconnections: number;
  credentials: Credentials;
}

/** @throws GpxError; an error of the file system for a file that cannot be read */
export async function readJourney(track: string | undefined): Promise<JourneyPoint[]> {
  return toJourney(track === undefined ? usualWay() : parseGpx(await readFile(track, 'utf8')));
}

/** Plays a school day of one family, from sign-up on, and checks what the service promises of it. */
export async function runDemo(
  server: { url: string; smsFile: string },
  journey: readonly JourneyPoint[],
  speed: number,
  narrator: Narrator,
): Promise<DemoResult> {
  const lines: (() => void)[] = [];
  try {
    const day = await setUpSchoolDay(server, journey, speed, narrator, (hangUp) => lines.push(hangUp));
    const proofs = await runScenes(SCENES, day);
    const { mother, granny, watch, walk } = day;
    const reconnections = [mother, granny, watch].reduce((sum, { timesReconnected }) => sum + timesReconnected, 0);
    const { acknowledged } = watch.positioning;
    return { proofs, points: walk.length, acknowledged, reconnections, credentials: mother.credentials };
  } finally {
    for (const hangUp of lines) hangUp();
  }
}
