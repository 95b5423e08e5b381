import { randomUUID } from 'node:crypto';
import { expectOk } from '../http-client.js';
import type { FamilyFixture } from '../family-fixture.js';
import { Parent } from '../parent.js';
import type { TestService } from '../test-service.js';
import { WATCH_PATH } from '../watch.js';

/** Ids and codes for join requests and ownership claims. */
export interface MembershipIds {
  /** Current family code of the watch. */
  familyCode: string;
  /** Id of a join request that waits for the owner's decision. */
  familyApplicationId: string;
  /** Id of the guardian's open ownership claim. */
  claimId: string;
}

export async function membershipIdsOf(
  service: TestService,
  { guardian, watch, familyId }: FamilyFixture,
): Promise<MembershipIds> {
  const { familyCode } = await expectOk(watch.post<{ familyCode: string }>(`${WATCH_PATH}family-code/create`, {}));
  const applicant = await Parent.signUp(service);
  const { applicationId } = await expectOk(
    applicant.post<{ applicationId: string }>('device/contacts/application/create', { familyCode }),
  );
  const { claimId } = await expectOk(guardian.post<{ claimId: string }>('family/ownership-claim/create', { familyId }));
  return { familyCode, familyApplicationId: applicationId, claimId };
}

/** Returns a well-formed code and ids that do not exist. */
export function unknownMembershipIds(): MembershipIds {
  return { familyCode: '0123456789', familyApplicationId: randomUUID(), claimId: randomUUID() };
}
