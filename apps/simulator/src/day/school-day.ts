import type { Narrator } from '../narrator.js';
import { eventually } from '../patience.js';
import { ChildCare } from '../people/child-care.js';
import { FenceCare } from '../people/fence-care.js';
import { FileRoundTrip } from '../people/file-round-trip.js';
import { Person } from '../people/person.js';
import { SosCare } from '../people/sos-care.js';
import { WatchCare } from '../people/watch-care.js';
import type { JourneyPoint } from '../track/journey.js';
import { Walk } from '../track/walk.js';
import { Watch } from '../watch/watch.js';
import { placesOf } from './places.js';
import { Witness } from './witness.js';

/** Who and what takes part in the day. */
export interface SchoolDay {
  /** Owns the family, and may reach the child at any time. */
  mother: Person;
  /** A caregiver. */
  granny: Person;
  child: ChildCare;
  /** What the mother does with the watch. */
  care: WatchCare;
  sos: { mother: SosCare; granny: SosCare };
  watch: Watch;
  fences: FenceCare;
  /** `fenceId` of the fences around the two. */
  home: string;
  school: string;
  walk: Walk;
  /** The contact that is renamed on the way. */
  refId: string;
  file: FileRoundTrip;
  witness: Witness;
}

/**
 * A family that is ready for the day: two grown-ups, a child, a watch that is bound to it.
 * @param atEnd - takes what hangs up, also when the beginning fails
 */
export async function beginDay(
  server: { url: string; smsFile: string },
  journey: readonly JourneyPoint[],
  speed: number,
  narrator: Narrator,
  atEnd: (hangUp: () => void) => void,
): Promise<SchoolDay> {
  const places = placesOf(journey);
  const mother = await Person.signUp('mother', server, narrator);
  atEnd(() => mother.leave());
  const granny = await Person.signUp('granny', server, narrator);
  atEnd(() => granny.leave());
  const child = await ChildCare.addChild(mother);
  await child.invite(granny);
  const watch = await Watch.switchOn(server.url, narrator);
  atEnd(() => watch.switchOff());
  await child.bind(await watch.showCode());
  await watch.untilBound();
  const { did } = watch;
  const refId = await eventually('granny to be among the contacts', () => child.contactOf(did, granny.userId));
  const fences = new FenceCare(mother, child.cid);
  const home = await fences.putUp(places.home);
  const school = await fences.putUp(places.school);
  return {
    mother,
    granny,
    child,
    watch,
    fences,
    home,
    school,
    refId,
    care: new WatchCare(mother, did),
    sos: { mother: new SosCare(mother, child.cid), granny: new SosCare(granny, child.cid) },
    walk: new Walk(journey, speed),
    file: new FileRoundTrip(mother.api),
    witness: new Witness(narrator),
  };
}
