import type { Narrator } from '../narrator.js';
import { pollUntil } from '../retry.js';
import { ChildActions } from '../people/child-actions.js';
import { FenceActions } from '../people/fence-actions.js';
import { FileRoundTrip } from '../people/file-round-trip.js';
import { Person } from '../people/person.js';
import { SosActions } from '../people/sos-actions.js';
import { WatchActions } from '../people/watch-actions.js';
import type { JourneyPoint } from '../track/journey.js';
import { Walk } from '../track/walk.js';
import { SimulatedWatch } from '../watch/simulated-watch.js';
import { deriveHomeAndSchool } from './places.js';
import { DeliveryObserver } from './delivery-observer.js';

/** Who and what takes part in the day. */
export interface SchoolDay {
  /** Owns the family, and may reach the child at any time. */
  mother: Person;
  /** A caregiver. */
  granny: Person;
  child: ChildActions;
  /** What the mother does with the watch. */
  care: WatchActions;
  sos: { mother: SosActions; granny: SosActions };
  watch: SimulatedWatch;
  fences: FenceActions;
  /** `fenceId` of the fences around the two. */
  home: string;
  school: string;
  walk: Walk;
  /** The contact that is renamed on the way. */
  refId: string;
  file: FileRoundTrip;
  witness: DeliveryObserver;
}

/**
 * A family that is ready for the day: two grown-ups, a child, a watch that is bound to it.
 * @param atEnd - takes what hangs up, also when the beginning fails
 */
export async function setUpSchoolDay(
  server: { url: string; smsFile: string },
  journey: readonly JourneyPoint[],
  speed: number,
  narrator: Narrator,
  atEnd: (hangUp: () => void) => void,
): Promise<SchoolDay> {
  const places = deriveHomeAndSchool(journey);
  const mother = await Person.signUp('mother', server, narrator);
  atEnd(() => mother.leave());
  const granny = await Person.signUp('granny', server, narrator);
  atEnd(() => granny.leave());
  const child = await ChildActions.addChild(mother);
  await child.invite(granny);
  const watch = await SimulatedWatch.switchOn(server.url, narrator);
  atEnd(() => watch.switchOff());
  await child.bind(await watch.createBindCode());
  await watch.waitUntilBound();
  const { did } = watch;
  const refId = await pollUntil('granny to be among the contacts', () => child.contactOf(did, granny.userId));
  const fences = new FenceActions(mother, child.cid);
  const home = await fences.create(places.home);
  const school = await fences.create(places.school);
  return {
    mother,
    granny,
    child,
    watch,
    fences,
    home,
    school,
    refId,
    care: new WatchActions(mother, did),
    sos: { mother: new SosActions(mother, child.cid), granny: new SosActions(granny, child.cid) },
    walk: new Walk(journey, speed),
    file: new FileRoundTrip(mother.api),
    witness: new DeliveryObserver(narrator),
  };
}
