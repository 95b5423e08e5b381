import { waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import type { Person } from './accounts.js';

/** Returns the id of the family that the person owns. */
export async function familyOf({ client, userId }: Person): Promise<string> {
  const { items } = await client.families.list();
  return items.find(({ ownerUserId }) => ownerUserId === userId)?.familyId ?? '';
}

/** Makes a person a member of the owner's family. */
export async function addMember(owner: Person, person: Person, role: 2 | 3 | 4): Promise<void> {
  const familyId = await familyOf(owner);
  const { code } = await owner.client.families.createInvitation({ familyId, role });
  await person.client.families.acceptInvitation({ code });
}

/** Waits for the conversation of the person with the child. */
export function conversationWith({ client }: Person, cid: string): Promise<string> {
  return waitUntilFound('the conversation of person and child', async () => {
    const { items } = await client.messages.listConversations();
    return items.find(({ type, members }) => type === 'DIRECT' && members.some((member) => member.cid === cid))
      ?.conversationId;
  });
}
