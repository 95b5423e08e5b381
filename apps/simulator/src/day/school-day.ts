import type { CenterMessageType } from '@family-watch/domain/messages/contracts/message-center';
import type { Narrator } from '../narrator.js';
import { ChildActions, FenceActions, INVITED_ROLE, MIA, SosActions } from '../people/child-actions.js';
import { FileRoundTrip } from '../people/file-round-trip.js';
import { Person, type LoggedCenterMessage } from '../people/person.js';
import { WatchActions } from '../people/watch-actions.js';
import { pollUntil } from '../retry.js';
import type { JourneyPoint } from '../track/journey.js';
import { Walk } from '../track/walk.js';
import { SimulatedWatch } from '../watch/simulated-watch.js';
import { DeliveryObserver } from './delivery-observer.js';
import { deriveHomeAndSchool } from './places.js';

/** The participants of the demo and the objects that its scenes use. */
export interface SchoolDay {
  /** Owner of the family, who may contact the child at any time. */
  mother: Person;
  /** A caregiver of the child, who may not contact the child during school time. */
  granny: Person;
  child: ChildActions;
  /** The mother's operations on the watch. */
  watchActions: WatchActions;
  sos: { mother: SosActions; granny: SosActions };
  watch: SimulatedWatch;
  fences: FenceActions;
  homeFenceId: string;
  schoolFenceId: string;
  walk: Walk;
  /** Id (`refId`) of the contact that the mother renames during the walk. */
  renamedContactId: string;
  file: FileRoundTrip;
  observer: DeliveryObserver;
}

/**
 * Creates the family: two adults, a child and a watch that is bound to the child.
 * @param onConnected - called with the disconnect function of each participant as soon as the participant is connected,
 *   so that the caller can disconnect all participants even if a later step fails
 */
export async function setUpSchoolDay(
  server: { url: string; smsFile: string },
  journey: readonly JourneyPoint[],
  speed: number,
  narrator: Narrator,
  onConnected: (disconnect: () => void) => void,
): Promise<SchoolDay> {
  const places = deriveHomeAndSchool(journey);
  const mother = await Person.signUp('mother', server, narrator);
  onConnected(() => mother.disconnect());
  const granny = await Person.signUp('granny', server, narrator);
  onConnected(() => granny.disconnect());
  const child = await ChildActions.addChild(mother, MIA);
  await child.invite(granny, INVITED_ROLE.CAREGIVER);
  const watch = await SimulatedWatch.switchOn(server.url, narrator);
  onConnected(() => watch.switchOff());
  await child.bind(await watch.createBindCode());
  await watch.waitUntilBound();
  const { did } = watch;
  const renamedContactId = await pollUntil('granny to be among the contacts', () =>
    child.findContactId(did, granny.userId),
  );
  const fences = new FenceActions(mother, child.cid);
  const home = await fences.create(places.home);
  const school = await fences.create(places.school);
  return {
    mother,
    granny,
    child,
    watch,
    fences,
    homeFenceId: home,
    schoolFenceId: school,
    renamedContactId,
    watchActions: new WatchActions(mother, did),
    sos: { mother: new SosActions(mother, child.cid), granny: new SosActions(granny, child.cid) },
    walk: new Walk(journey, speed),
    file: new FileRoundTrip(mother.api),
    observer: new DeliveryObserver(narrator),
  };
}

/**
 * Waits until both adults have a matching message in the message centre.
 * @param since - time of the cause, Unix milliseconds
 * @param after - the timeout starts when this promise is settled; by default at once
 * @returns a text with each adult and the delay from `since` to the receipt of the message
 * @throws Error naming the adult whose message did not arrive before the deadline
 */
export async function waitForBothAdults(
  { mother, granny, observer }: Pick<SchoolDay, 'mother' | 'granny' | 'observer'>,
  type: CenterMessageType,
  what: string,
  since: number | ((message: LoggedCenterMessage) => number),
  matches: (message: LoggedCenterMessage) => boolean = () => true,
  after?: Promise<unknown>,
): Promise<string> {
  const received = await Promise.all(
    [mother, granny].map(async ({ name, centerMessages }) => {
      const { delayMs } = await observer.waitFor(name, what, since, () => centerMessages.ofType(type).find(matches), {
        after,
      });
      return `${name} after ${delayMs} ms`;
    }),
  );
  return received.join(', ');
}
