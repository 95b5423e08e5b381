import { responseData } from '@family-watch/client';
import type { Narrator } from '../narrator.js';
import { ChildActions, INVITED_ROLE, MIA, type ChildProfile } from '../people/child-actions.js';
import { Person } from '../people/person.js';
import { SimulatedWatch } from '../watch/simulated-watch.js';
import { TIMETABLE_OF_LEO, TIMETABLE_OF_MIA, type Timetable } from './timetable.js';

const LEO: ChildProfile = {
  name: 'Leo',
  phoneNumber: '13812345679',
  areaCode: '+86',
  appellation: 'Leo',
  gender: 2,
  weight: 105,
  height: 118,
  birthday: '2019-09-12',
};

const NORA: ChildProfile = {
  name: 'Nora',
  phoneNumber: '13812345680',
  areaCode: '+86',
  appellation: 'Nora',
  gender: 3,
  weight: 118,
  height: 124,
};

/** A child with its watch. */
export interface ChildWithWatch {
  child: ChildActions;
  watch: SimulatedWatch;
}

/** A child of the family, and where it is during the week. */
export interface FamilyChild extends ChildWithWatch {
  timetable: Timetable;
}

/** The people of the demo family, and a friend of another family. */
export interface DemoFamily {
  /** Owner of the family. */
  mother: Person;
  /** A guardian of the family. */
  granny: Person;
  /** Asks to join the family. */
  aunt: Person;
  mia: FamilyChild;
  leo: FamilyChild;
  friend: ChildWithWatch & { father: Person };
}

/** Creates the accounts, children and watches. @param timeZone - IANA time zone of the children */
export async function createDemoFamily(
  server: { url: string; smsFile: string },
  timeZone: string,
  narrator: Narrator,
): Promise<DemoFamily> {
  const signUp = (name: string): Promise<Person> => Person.signUp(name, server, narrator);
  const addChild = async (parent: Person, profile: ChildProfile): Promise<ChildWithWatch> => {
    const child = await ChildActions.addChild(parent, { ...profile, timeZone });
    const watch = await SimulatedWatch.switchOn(server.url, narrator, profile.name);
    await child.bind(await watch.createBindCode());
    await watch.waitUntilBound();
    return { child, watch };
  };
  const mother = await signUp('Anna');
  const granny = await signUp('Granny');
  const father = await signUp('Tom');
  const aunt = await signUp('Mei');
  const mia = await addChild(mother, { ...MIA, birthday: '2017-05-04' });
  const { familyId } = mia.child;
  const family = { familyId, name: 'Demo family' };
  await responseData(mother.api.POST('/apis/v2/userctx/user/family/update', { body: family }));
  await mia.child.invite(granny, INVITED_ROLE.GUARDIAN);
  const leo = await addChild(mother, LEO);
  const nora = await addChild(father, NORA);
  return {
    mother,
    granny,
    aunt,
    mia: { ...mia, timetable: TIMETABLE_OF_MIA },
    leo: { ...leo, timetable: TIMETABLE_OF_LEO },
    friend: { ...nora, father },
  };
}
