import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { TestingModule } from '@nestjs/testing';
import fc from 'fast-check';
import { FriendsService } from '../../../src/contexts/friends/friends.service.js';
import { outcomeOf, settleHome } from '../../support/bound-home.js';
import { WatchesWorld } from '../../support/watches-world.js';

jest.setTimeout(60_000);

let world: WatchesWorld;
let replica: TestingModule;
let friends: FriendsService;

beforeAll(async () => {
  world = await WatchesWorld.open();
  replica = await world.replica();
  friends = replica.get(FriendsService);
});
afterAll(() => world.close());

/** Who agreed and who keeps whom out, told without the states: what the service must come to by any way. */
class Model {
  private open = false;
  private agreed = new Set<number>();
  private applicant = 0;
  private readonly out = new Set<number>();
  private rejected = false;

  get friends(): boolean {
    return this.agreed.size === 2;
  }

  apply(side: number, guardian: boolean): string {
    if (this.out.has(1 - side) || (this.out.has(side) && !guardian)) return 'CODE_INVALID';
    if (!this.open) {
      [this.open, this.applicant] = [true, side];
      this.agreed = new Set();
      this.out.delete(side);
    }
    if (guardian) this.agreed.add(side);
    return 'ok';
  }

  confirm(side: number): string {
    if (!this.open || (this.agreed.size === 0 && side !== this.applicant)) return 'CONFLICT';
    this.agreed.add(side);
    return 'ok';
  }

  reject(side: number): string {
    if (this.open && !this.friends) return this.close(side, true);
    return !this.open && this.rejected && this.out.has(side) ? 'ok' : 'CONFLICT';
  }

  delete(): string {
    return this.friends ? this.close(null, false) : 'FRIEND_NOT_FOUND';
  }

  block(side: number): string {
    if (this.open) return this.close(side, !this.friends);
    this.out.add(side);
    return 'ok';
  }

  private close(side: number | null, rejected: boolean): string {
    [this.open, this.rejected, this.agreed] = [false, rejected, new Set()];
    if (side !== null) this.out.add(side);
    return 'ok';
  }
}

it('does what the model says, step by step, over the real service', async () => {
  const operation = fc.record({
    what: fc.constantFrom('ask', 'apply', 'confirm', 'reject', 'delete', 'block'),
    side: fc.constantFrom(0, 1),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 4, maxLength: 14 }), async (operations) => {
      const homes = [await settleHome(world, replica), await settleHome(world, replica)] as const;
      const model = new Model();
      let applicationId: string | undefined;
      for (const { what, side } of operations) {
        const [own, other] = side === 0 ? homes : [homes[1], homes[0]];
        if (applicationId === undefined && what !== 'ask' && what !== 'apply') continue;
        const request = { did: own.watch.did, applicationId: applicationId ?? '' };
        const outcome = await outcomeOf(async () => {
          if (what === 'ask' || what === 'apply') {
            const { friendCode } = await friends.createCode(other.watch.principal);
            const by = what === 'ask' ? own.watch.principal : own.owner;
            ({ applicationId } = await friends.apply(by, { did: own.watch.did, friendCode }));
          } else await friends[what as 'confirm'](own.owner, request);
        });
        const expected =
          what === 'ask' || what === 'apply'
            ? model.apply(side, what === 'apply')
            : model[what as 'confirm' | 'reject' | 'block'](side);
        expect([what, side, outcome]).toEqual([what, side, expected]);
        await forget();
      }
      const activity = applicationId ? await activityOf(applicationId) : [];
      expect(activity).toEqual(activity.map((_, index) => index % 2 === 0));
      expect(activity.length % 2 === 1).toBe(model.friends);
    }),
    { numRuns: 12 },
  );
});

/** Wrong codes are counted; the model is about the rest. */
async function forget(): Promise<void> {
  await world.query('delete from userctx.attempt_counter');
}

async function activityOf(friendshipId: string): Promise<boolean[]> {
  const rows = await world.query<{ active: boolean }>(
    `select (payload->>'active')::boolean as active from userctx.outbox
      where name = 'userctx.friendship.changed' and payload->>'friendshipId' = $1 order by position`,
    [friendshipId],
  );
  return rows.map(({ active }) => active);
}
