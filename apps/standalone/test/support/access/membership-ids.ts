import { randomUUID } from 'node:crypto';
import { expectOk } from '../http-client.js';
import type { FamilyFixture } from '../family-fixture.js';
import { Parent } from '../parent.js';
import type { TestService } from '../test-service.js';
import { WATCH_SIDE } from '../watch.js';

/** How people come into a family, and who wants to own it. */
export interface MembershipIds {
  /** What the watch shows just now. */
  familyCode: string;
  /** Of an application that waits for the owner. */
  familyApplicationId: string;
  /** Of the guardian's claim, which is open. */
  claimId: string;
}

export async function membershipIdsOf(
  service: TestService,
  { guardian, watch, familyId }: FamilyFixture,
): Promise<MembershipIds> {
  const { familyCode } = await expectOk(watch.post<{ familyCode: string }>(`${WATCH_SIDE}family-code/create`, {}));
  const applicant = await Parent.signUp(service);
  const { applicationId } = await expectOk(
    applicant.post<{ applicationId: string }>('device/contacts/application/create', { familyCode }),
  );
  const { claimId } = await expectOk(guardian.post<{ claimId: string }>('family/ownership-claim/create', { familyId }));
  return { familyCode, familyApplicationId: applicationId, claimId };
}

/** As well formed as real ones, of nothing. */
export function membershipIdsOfNothing(): MembershipIds {
  return { familyCode: '0123456789', familyApplicationId: randomUUID(), claimId: randomUUID() };
}
