import type { INestApplicationContext } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { TestWatch } from './test-watch.js';
import type { WatchesTestEnvironment } from './watches-test-environment.js';

/** A child of a user's family, and the watch that acts for the child. */
export interface BoundFamilyFixture {
  owner: Principal;
  cid: string;
  familyId: string;
  watch: TestWatch;
}

/** Creates a child of `owner`, or of a newly signed-up user, and binds a watch to it. */
export async function createBoundFamily(
  environment: WatchesTestEnvironment,
  replica: INestApplicationContext,
  owner?: Principal,
): Promise<BoundFamilyFixture> {
  const person = owner ?? (await environment.createPerson(replica));
  const cid = await environment.createChild(replica, person);
  const watch = await TestWatch.createEnrolled(replica);
  await watch.bindTo(replica, person, cid);
  return { owner: person, cid, familyId: await environment.familyOf(cid), watch };
}

/** Executes `work` and returns `ok`, or the reason of the rejection. */
export async function outcomeOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return 'ok';
  } catch (error) {
    return String((error as { reason?: string }).reason ?? error);
  }
}
