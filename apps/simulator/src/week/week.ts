import type { Narrator } from '../narrator.js';
import type { Credentials } from '../people/person.js';
import { fillAlbum } from './album.js';
import { callEachOther } from './calls.js';
import { chat } from './conversations.js';
import { createDemoFamily } from './demo-family.js';
import { reportBlockedCalls, reportWeek, resolveSos } from './history.js';
import { LivingWatch } from './living-watch.js';
import { addRelations } from './relations.js';
import { addFences, changeSettings } from './settings.js';

/** Part of the battery that Leo has used, per cent. His parents are alerted. */
const BATTERY_USED_PERCENT = 65;

/** A family that stays on the server, with a week of life. */
export interface KeptFamily {
  credentials: Credentials;
  /** Lets the watches of the children live on until the program ends. */
  live: () => Promise<never>;
}

/**
 * Creates the family and its week, and disconnects everybody but the watches of its children. The service itself dates
 * chats, calls and fence events: they happen now.
 */
export async function createKeptFamily(
  server: { url: string; smsFile: string },
  narrator: Narrator,
): Promise<KeptFamily> {
  // The child's time zone is the one of the person at this computer, so that the children go to school in the morning.
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const family = await createDemoFamily(server, timeZone, narrator);
  const { mother, granny, aunt, friend, mia, leo } = family;
  const children = [mia, leo];
  for (const child of children) await addFences(family, child);
  await addRelations(family);
  // School times follow the chat and the calls, which they would reject at some hours.
  await chat(family);
  await callEachOther(family);
  for (const child of children) await changeSettings(family, child);
  const now = Date.now();
  await Promise.all(children.map((child) => reportWeek(child, now)));
  await reportBlockedCalls(mia.watch, now);
  await resolveSos(family, now);
  leo.watch.vitals.drain(BATTERY_USED_PERCENT);
  await leo.watch.sendHeartbeat();
  await fillAlbum(family, now);
  for (const person of [mother, granny, aunt, friend.father]) person.disconnect();
  friend.watch.switchOff();
  const live = async (): Promise<never> => {
    const [watchOfMia, watchOfLeo] = [new LivingWatch(mia), new LivingWatch(leo)];
    return Promise.race([
      watchOfMia.rideABike().then(() => watchOfMia.followTimetable()),
      watchOfLeo.followTimetable(),
    ]);
  };
  return { credentials: mother.credentials, live };
}
