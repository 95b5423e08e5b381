import type { INestApplicationContext } from '@nestjs/common';
import type { DomainEventName, DomainEvents } from '@family-watch/domain/events';
import type { ChildPermission } from '@family-watch/domain/families/contracts/family-role';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { EventConsumer } from '@family-watch/event-bus/event-consumer';
import type { Environment } from '@family-watch/platform/config/environment';
import { ChildrenService } from '../../src/families/children/children.service.js';
import { MemberContactsService } from '../../src/families/contacts/member-contacts.service.js';
import { FamilyRosterService } from '../../src/families/family-roster.service.js';
import { UserctxChildReads, UserctxUnitOfWork } from '../../src/infrastructure/userctx-infrastructure.js';
import { AccountsTestEnvironment } from './accounts-test-environment.js';
import { CHILD } from './api-client.js';
import { openTestDependencies } from './userctx-test-environment.js';

export { PASSWORD } from './userctx-test-environment.js';

/** Test environment for children and their watches. */
export class WatchesTestEnvironment extends AccountsTestEnvironment {
  static override async open(settings: Partial<Environment> = {}): Promise<WatchesTestEnvironment> {
    return new WatchesTestEnvironment(await openTestDependencies(settings));
  }

  /** Returns the payloads of events with this name and key, oldest first. */
  async events<Name extends DomainEventName>(name: Name, key: string): Promise<DomainEvents[Name][]> {
    const rows = await this.query<{ payload: DomainEvents[Name] }>(
      'SELECT payload FROM userctx.outbox WHERE name = $1 AND key = $2 ORDER BY position',
      [name, key],
    );
    return rows.map(({ payload }) => payload);
  }

  /** Returns the kinds of the child's data that the person has seen at this replica. */
  async kindsSeenBy({ id }: Principal, cid: string, replica: INestApplicationContext): Promise<string[]> {
    await replica.get(UserctxChildReads, { strict: false }).flush();
    const reads = (await this.events('userctx.child-data.read', cid)).flatMap((payload) => payload.reads);
    return reads.filter(({ viewer }) => viewer === `user:${id}`).map(({ kind }) => kind);
  }

  /** Delivers an event to a handler as the event consumer does. */
  async deliver<Name extends DomainEventName>(
    replica: INestApplicationContext,
    handlerName: string,
    event: { name: Name; payload: DomainEvents[Name]; time?: number },
  ): Promise<void> {
    const envelope = { id: crypto.randomUUID(), key: 'any', time: Date.now(), ...event };
    const handler = replica
      .get<EventConsumer<DomainEvents>>(EventConsumer)
      .handlers.find(({ name }) => name === handlerName);
    if (!handler) throw new Error(`There is no handler ${handlerName}`);
    await replica.get(UserctxUnitOfWork).run(() => handler.handle(envelope));
  }

  /** Delivers the erasure of a child to a handler. */
  deliverErasure(
    replica: INestApplicationContext,
    handlerName: string,
    { familyId, cid }: { familyId: string; cid: string },
  ): Promise<void> {
    return this.deliver(replica, handlerName, { name: 'userctx.child.erased', payload: { familyId, cid } });
  }

  /** Creates a user with an account. */
  async createPerson(replica: INestApplicationContext): Promise<Principal> {
    const { userId } = await this.createAccount(replica, 'Anna');
    return { type: 'user', id: userId, sessionId: 'suite' };
  }

  /** Creates a child in the user's own family. */
  createChild(replica: INestApplicationContext, owner: Principal, timeZone = 'Asia/Shanghai'): Promise<string> {
    return replica.get(ChildrenService).create(owner, { ...CHILD, timeZone });
  }

  /** Adds a person, by default a new one, to the family. */
  async addMember(
    replica: INestApplicationContext,
    familyId: string,
    grant: { role: 2 | 3 | 4; permissions: ChildPermission[] },
    person?: Principal,
  ): Promise<Principal> {
    const member = person ?? (await this.createPerson(replica));
    const roster = replica.get(FamilyRosterService);
    const { identity } = await roster.getProfile(member.id);
    await replica.get(UserctxUnitOfWork).run(async () => {
      await roster.addMember(familyId, member.id, { ...grant, childPermissions: {} }, identity);
      await replica.get(MemberContactsService).syncMembers(familyId, `user:${member.id}`);
    });
    return member;
  }

  async familyOf(cid: string): Promise<string> {
    const [link] = await this.query<{ family_id: string }>(
      'SELECT family_id FROM userctx.family_child WHERE cid = $1',
      [cid],
    );
    return String(link?.family_id);
  }
}
