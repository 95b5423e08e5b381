import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { FileRoundTrip } from './file-round-trip.js';
import { parseGpx } from './gpx.js';
import { toJourney } from './journey.js';
import type { JourneyPoint } from './journey.js';
import { lakeWalk } from './lake-walk.js';
import type { Narrator } from './narrator.js';
import { Parent } from './parent.js';
import type { Credentials } from './parent.js';
import { prove } from './proofs.js';
import type { Proof } from './proofs.js';
import { Walk } from './walk.js';
import { Watch } from './watch.js';

const NEW_APPELLATION = 'Nana';

export interface DemoResult {
  proofs: Proof[];
  points: number;
  acknowledged: number;
  /** Of watch and parent together. */
  reconnections: number;
  credentials: Credentials;
}

/** @throws GpxError; an error of the file system for a file that cannot be read */
export async function readJourney(track: string | undefined): Promise<JourneyPoint[]> {
  return toJourney(track === undefined ? lakeWalk() : parseGpx(await readFile(track, 'utf8')));
}

/** Plays one family from sign-up to the end of a walk, and checks what is left of it. */
export async function playDemo(
  server: { url: string; smsFile: string },
  journey: readonly JourneyPoint[],
  speed: number,
  narrator: Narrator,
): Promise<DemoResult> {
  const parent = await Parent.signUp(server.url, server.smsFile, narrator);
  const cid = await parent.addChild();
  const watch = await Watch.switchOn(server.url, narrator);
  try {
    await parent.bind(cid, await watch.showCode());
    await watch.untilBound();
    const refId = await parent.addGrandmother(watch.did);
    await parent.setAlarm(watch.did);
    const walk = new Walk(journey, speed);
    narrator.say('watch', `walks ${walk.points.length} points in ${Math.ceil(walk.replayTime / 1_000)} s`);
    await Promise.all([
      walk.replay(watch),
      sleep(walk.replayTime / 2).then(() => parent.renameContact(watch.did, refId, NEW_APPELLATION)),
    ]);
    narrator.say('watch', 'has arrived');
    const file = new FileRoundTrip(parent.api);
    const proofs = await prove({ parent, watch, cid, points: walk.points, refId, file });
    const reconnections = parent.timesReconnected + watch.timesReconnected;
    const { acknowledged } = watch;
    return { proofs, points: walk.points.length, acknowledged, reconnections, credentials: parent.credentials };
  } finally {
    watch.switchOff();
    parent.leave();
  }
}
