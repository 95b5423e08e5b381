import type { INestApplicationContext } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { AlertSmsJob } from '../../../src/contexts/alerts/alert-sms.job.js';
import { AlertSmsService } from '../../../src/contexts/alerts/alert-sms.service.js';
import { ContactsService } from '../../../src/contexts/contacts/contacts.service.js';
import { MemberContactsService } from '../../../src/contexts/contacts/member-contacts.service.js';
import { FamilyRosterService } from '../../../src/contexts/families/family-roster.service.js';
import { MemberProfilesService } from '../../../src/contexts/families/member-profiles.service.js';
import { SosEscalationJob } from '../../../src/contexts/sos/sos-escalation.job.js';
import { SosEscalationService } from '../../../src/contexts/sos/sos-escalation.service.js';
import { SosService } from '../../../src/contexts/sos/sos.service.js';
import { UserctxUnitOfWork } from '../../../src/infrastructure/userctx.unit-of-work.js';
import { RecordedAlerts } from '../../support/recorded-alerts.js';
import { createBoundFamily } from '../../support/bound-family-fixture.js';
import type { BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import type { DisabledParts } from '../../support/userctx-test-environment.js';
import type { WatchesTestEnvironment } from '../../support/watches-test-environment.js';
import type { Reachable } from './sos-model.js';

/**
 * Only the walk moves the time and brings events to handlers: a replica with timers of its own would send what the
 * inboxes are to receive.
 */
export const CONTROLLED_BY_SCENARIO: DisabledParts = { jobs: [SosEscalationJob, AlertSmsJob], relay: true };

/** A family on two replicas. */
export class SosScenario {
  replicas: INestApplicationContext[] = [];
  inboxes: RecordedAlerts[] = [];
  home!: BoundFamilyFixture;

  private constructor(private readonly world: WatchesTestEnvironment) {}

  static async settle(world: WatchesTestEnvironment, people: readonly Principal[]): Promise<SosScenario> {
    const real = new SosScenario(world);
    // Of the walks before, nothing is due any more.
    await world.query('delete from userctx.sos');
    await world.query('delete from userctx.alert_sms');
    await real.restart();
    await real.restart();
    real.home = await createBoundFamily(world, real.first);
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
    const replica = await this.world.replica({}, CONTROLLED_BY_SCENARIO);
    this.inboxes.push(new RecordedAlerts(replica));
    this.replicas.push(replica);
    const [oldest] = this.replicas;
    if (!oldest || this.replicas.length <= 2) return;
    this.replicas.shift();
    await this.world.closeReplica(oldest);
  }

  async takeIn(person: Principal): Promise<void> {
    const { card } = await this.first.get(MemberProfilesService).get(person.id);
    const grant = { role: 2 as const, permissions: ['ALERTS' as const], childPermissions: {} };
    await this.changeRoster((roster) => roster.addMember(this.home.familyId, person.id, grant, card));
  }

  changeRoster(change: (roster: FamilyRosterService) => Promise<void>): Promise<void> {
    return this.first.get(UserctxUnitOfWork).run(async () => {
      await change(this.first.get(FamilyRosterService));
      await this.first.get(MemberContactsService).syncMembers(this.home.familyId, `user:${this.home.owner.id}`);
    });
  }

  async contacts(): Promise<(Reachable & { sosOrder: number })[]> {
    const { items } = await this.first.get(ContactsService).list(this.home.owner, this.home.watch.did);
    return items.map(({ refId, userId = null, phoneNumber, sosOrder }) => ({ refId, userId, phoneNumber, sosOrder }));
  }

  async isMember({ id }: Principal): Promise<boolean> {
    return (await this.first.get(FamilyRosterService).findMembers(this.home.familyId)).some(
      ({ userId }) => userId === id,
    );
  }

  /** Every process looks at the same time, and sends what it has to send. */
  async tick(): Promise<void> {
    const drained = async (work: () => Promise<number>) => {
      while ((await work()) > 0);
    };
    await Promise.all(this.replicas.map((replica) => drained(() => replica.get(SosEscalationService).processDue())));
    await Promise.all(this.replicas.map((replica) => drained(() => replica.get(AlertSmsService).sendDue())));
  }
}
