import type { INestApplicationContext } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { AlertSmsJob } from '../../../src/contexts/alerts/alert-sms.job.js';
import { AlertSmsService } from '../../../src/contexts/alerts/alert-sms.service.js';
import { ContactsService } from '../../../src/contexts/contacts/contacts.service.js';
import { MemberContacts } from '../../../src/contexts/contacts/member-contacts.service.js';
import { FamilyRoster } from '../../../src/contexts/families/family-roster.service.js';
import { MemberProfiles } from '../../../src/contexts/families/member-profiles.service.js';
import { SosEscalationJob } from '../../../src/contexts/sos/sos-escalation.job.js';
import { SosEscalation } from '../../../src/contexts/sos/sos-escalation.service.js';
import { SosService } from '../../../src/contexts/sos/sos.service.js';
import { UserctxUnitOfWork } from '../../../src/infrastructure/userctx.unit-of-work.js';
import { AlertInbox } from '../../support/alert-inbox.js';
import { settleHome } from '../../support/bound-home.js';
import type { BoundHome } from '../../support/bound-home.js';
import type { ByHand } from '../../support/userctx-world.js';
import type { WatchesWorld } from '../../support/watches-world.js';
import type { Reachable } from './sos-model.js';

/**
 * Only the walk moves the time and brings events to handlers: a replica with timers of its own would send what the
 * inboxes are to receive.
 */
export const MOVED_BY_THE_WALK: ByHand = { jobs: [SosEscalationJob, AlertSmsJob], relay: true };

/** A family on two replicas. */
export class WalkedFamily {
  replicas: INestApplicationContext[] = [];
  inboxes: AlertInbox[] = [];
  home!: BoundHome;

  private constructor(private readonly world: WatchesWorld) {}

  static async settle(world: WatchesWorld, people: readonly Principal[]): Promise<WalkedFamily> {
    const real = new WalkedFamily(world);
    // Of the walks before, nothing is due any more.
    await world.query('delete from userctx.sos');
    await world.query('delete from userctx.alert_sms');
    await real.restart();
    await real.restart();
    real.home = await settleHome(world, real.first);
    for (const helper of people) await real.takeIn(helper);
    return real;
  }

  get first(): INestApplicationContext {
    const [replica] = this.replicas;
    if (!replica) throw new Error('No process is up');
    return replica;
  }

  get calls(): SosService {
    return this.first.get(SosService);
  }

  async close(): Promise<void> {
    for (const replica of this.replicas) await this.world.closeReplica(replica);
  }

  /** The older of two processes is gone, a new one has come. */
  async restart(): Promise<void> {
    const replica = await this.world.replica({}, MOVED_BY_THE_WALK);
    this.inboxes.push(new AlertInbox(replica));
    this.replicas.push(replica);
    const [oldest] = this.replicas;
    if (!oldest || this.replicas.length <= 2) return;
    this.replicas.shift();
    await this.world.closeReplica(oldest);
  }

  async takeIn(person: Principal): Promise<void> {
    const { card } = await this.first.get(MemberProfiles).get(person.id);
    const grant = { role: 2 as const, permissions: ['ALERTS' as const], childPermissions: {} };
    await this.changeRoster((roster) => roster.addMember(this.home.familyId, person.id, grant, card));
  }

  changeRoster(change: (roster: FamilyRoster) => Promise<void>): Promise<void> {
    return this.first.get(UserctxUnitOfWork).run(async () => {
      await change(this.first.get(FamilyRoster));
      await this.first.get(MemberContacts).followMembers(this.home.familyId, `user:${this.home.owner.id}`);
    });
  }

  async contacts(): Promise<(Reachable & { sosOrder: number })[]> {
    const { items } = await this.first.get(ContactsService).list(this.home.owner, this.home.watch.did);
    return items.map(({ refId, userId = null, phoneNumber, sosOrder }) => ({ refId, userId, phoneNumber, sosOrder }));
  }

  async isMember({ id }: Principal): Promise<boolean> {
    return (await this.first.get(FamilyRoster).membersOf(this.home.familyId)).some(({ userId }) => userId === id);
  }

  /** Every process looks at the same time, and sends what it has to send. */
  async tick(): Promise<void> {
    const drained = async (work: () => Promise<number>) => {
      while ((await work()) > 0);
    };
    await Promise.all(this.replicas.map((replica) => drained(() => replica.get(SosEscalation).stepDue())));
    await Promise.all(this.replicas.map((replica) => drained(() => replica.get(AlertSmsService).sendDue())));
  }
}
