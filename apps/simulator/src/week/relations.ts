import { responseData } from '@family-watch/client';
import { pollUntil } from '../retry.js';
import type { DemoFamily, ChildWithWatch } from './demo-family.js';

const USER_PATH = '/apis/v2/userctx/user';
const [OTHER_RELATIVE, FRIEND, FATHER] = [5, 6, 1] as const;
const GUARDIAN_ROLE = 2;
const [FIRST, SECOND, THIRD] = [1, 2, 3];

/**
 * Creates contacts, a friendship, a friend request and a join request that wait for the mother's decision, and an
 * invitation that nobody has accepted yet.
 */
export async function addRelations(family: DemoFamily): Promise<void> {
  const { mother, aunt, mia, leo, friend } = family;
  await orderContacts(family, mia);
  await orderContacts(family, leo);
  const friendship = await applyForFriend(friend, mia);
  await confirmFriend(family, mia, friendship);
  await applyForFriend(friend, leo);
  mother.log('accepts Nora as a friend of Mia; a request to Leo waits for a decision');
  const invitation = {
    familyId: mia.child.familyId,
    role: GUARDIAN_ROLE,
    appellation: 'Papa',
    identityType: FATHER,
  } as const;
  await responseData(mother.api.POST(`${USER_PATH}/family/invitation/create`, { body: invitation }));
  const { familyCode } = await responseData(mia.watch.connection.api.POST('/apis/v2/userctx/watch/family-code/create'));
  const request = { familyCode, appellation: 'Aunt Mei', identityType: OTHER_RELATIVE };
  await responseData(aunt.api.POST(`${USER_PATH}/device/contacts/application/create`, { body: request }));
  aunt.log('asks to join the family with the code of the watch');
}

/** Adds two contacts without an account; an SOS notifies the mother first, then granny, then the neighbour. */
async function orderContacts({ mother, granny }: DemoFamily, { child, watch }: ChildWithWatch): Promise<void> {
  const path = `${USER_PATH}/device/contacts`;
  const deviceId = watch.did;
  const added = { deviceId, areaCode: '+86', canCall: true } as const;
  const neighbour = {
    ...added,
    name: 'Mrs Wang',
    phoneNumber: '13712345670',
    identityType: 0,
    sosOrder: THIRD,
  } as const;
  const friend = { ...added, name: 'Ben', phoneNumber: '13612345671', identityType: FRIEND } as const;
  for (const body of [neighbour, friend]) await responseData(mother.api.POST(`${path}/create`, { body }));
  for (const [person, sosOrder, appellation] of [
    [granny, SECOND, 'Nana'],
    [mother, FIRST, 'Mama'],
  ] as const) {
    const what = `${person.name} to be among the contacts`;
    const refId = await pollUntil(what, () => child.findContactId(deviceId, person.userId));
    const body = { deviceId, refId, sosOrder, appellation };
    await responseData(mother.api.POST('/hmd-wx/api/v2/userctx/user/device/contacts/update', { body }));
  }
}

/** The family of the friend requests the friendship with the code that the child's watch shows. */
async function applyForFriend(
  { father, watch }: DemoFamily['friend'],
  { watch: shown }: ChildWithWatch,
): Promise<string> {
  const { friendCode } = await responseData(shown.connection.api.POST('/apis/v2/userctx/watch/friend-code/create'));
  const body = { did: watch.did, friendCode };
  const { applicationId } = await responseData(father.api.POST(`${USER_PATH}/device/friends/apply`, { body }));
  return applicationId;
}

async function confirmFriend({ mother }: DemoFamily, { watch }: ChildWithWatch, applicationId: string): Promise<void> {
  const body = { did: watch.did, applicationId };
  await responseData(mother.api.POST(`${USER_PATH}/device/friends/confirm`, { body }));
}
