import type { FamilyTestEnvironment } from './family-test-environment.js';
import type { HttpResponse, ApiClient } from './api-client.js';

/** A family with one child and a bound watch. */
export interface FamilyFixture {
  owner: ApiClient;
  familyId: string;
  cid: string;
  watch: ApiClient & { did: number };
}

export async function createFamily(environment: FamilyTestEnvironment): Promise<FamilyFixture> {
  const owner = await environment.createPerson('Anna');
  const cid = await owner.createChild();
  const familyId = await owner.familyId();
  return { owner, familyId, cid, watch: await environment.createBoundWatch(familyId, cid) };
}

/** Creates a user and adds them to the family with `role`. */
export async function addMember(
  environment: FamilyTestEnvironment,
  { owner }: FamilyFixture,
  role = 2,
): Promise<ApiClient> {
  const guest = await environment.createPerson('Ben');
  await owner.addMember(guest, { role });
  return guest;
}

/** Returns the stored roles of the members by user id. */
export async function rolesOf(environment: FamilyTestEnvironment, familyId: string): Promise<Record<string, number>> {
  const rows = await environment.query<{ user_id: string; role: number }>(
    'SELECT user_id, role FROM userctx.family_member WHERE family_id = $1',
    [familyId],
  );
  return Object.fromEntries(rows.map(({ user_id, role }) => [user_id, role]));
}

/** Returns `ok` for a successful response, or the reason of the rejection. */
export function outcome({ status, body }: HttpResponse): string {
  return status === 200 ? 'ok' : String(body['reason']);
}
