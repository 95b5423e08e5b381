import type { INestApplicationContext } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ContactsService } from '../../../src/families/contacts/contacts.service.js';
import { MemberContactsService } from '../../../src/families/contacts/member-contacts.service.js';
import { FamilyRosterService } from '../../../src/families/family-roster.service.js';
import { ALERT_SMS_JOB, AlertSmsService } from '../../../src/sos/alert-sms.service.js';
import { SOS_ESCALATION_JOB, SosEscalationService } from '../../../src/sos/sos-escalation.service.js';
import { SosService } from '../../../src/sos/sos.service.js';
import { UserctxUnitOfWork } from '../../../src/infrastructure/userctx-infrastructure.js';
import { createBoundFamily, type BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { RecordedAlerts } from '../../support/recorded-alerts.js';
import type { DisabledParts } from '../../support/userctx-test-environment.js';
import type { WatchesTestEnvironment } from '../../support/watches-test-environment.js';
import type { ReachableContact } from './sos-model.js';

/**
 * Disables the jobs and the outbox relay: only the scenario processes due steps, sends due alerts and delivers events.
 */
export const CONTROLLED_BY_SCENARIO: DisabledParts = {
  disabledJobs: [SOS_ESCALATION_JOB, ALERT_SMS_JOB],
  isRelayDisabled: true,
};

/** A family, and two replicas that process its SOS calls. */
export class SosScenario {
  replicas: INestApplicationContext[] = [];
  recordedAlerts: RecordedAlerts[] = [];
  family!: BoundFamilyFixture;

  private constructor(private readonly environment: WatchesTestEnvironment) {}

  static async create(environment: WatchesTestEnvironment, people: readonly Principal[]): Promise<SosScenario> {
    const real = new SosScenario(environment);
    // SOS calls and alert SMS of earlier runs must not be due in this run.
    await environment.query('DELETE FROM userctx.sos');
    await environment.query('DELETE FROM userctx.alert_sms');
    await real.replaceReplica();
    await real.replaceReplica();
    real.family = await createBoundFamily(environment, real.first);
    for (const person of people) await real.addMember(person);
    return real;
  }

  get first(): INestApplicationContext {
    const [replica] = this.replicas;
    if (!replica) throw new Error('No replica is running');
    return replica;
  }

  get calls(): SosService {
    return this.first.get(SosService);
  }

  async close(): Promise<void> {
    for (const replica of this.replicas) await this.environment.closeReplica(replica);
  }

  /** Starts a replica. If more than two replicas then run, stops the oldest replica. */
  async replaceReplica(): Promise<void> {
    const replica = await this.environment.replica({}, CONTROLLED_BY_SCENARIO);
    this.recordedAlerts.push(new RecordedAlerts(replica));
    this.replicas.push(replica);
    const [oldest] = this.replicas;
    if (!oldest || this.replicas.length <= 2) return;
    this.replicas.shift();
    await this.environment.closeReplica(oldest);
  }

  async addMember(person: Principal): Promise<void> {
    const grant = { role: 2 as const, permissions: ['ALERTS' as const] };
    await this.environment.addMember(this.first, this.family.familyId, grant, person);
  }

  changeRoster(change: (roster: FamilyRosterService) => Promise<void>): Promise<void> {
    return this.first.get(UserctxUnitOfWork).run(async () => {
      await change(this.first.get(FamilyRosterService));
      await this.first.get(MemberContactsService).syncMembers(this.family.familyId, `user:${this.family.owner.id}`);
    });
  }

  async contacts(): Promise<(ReachableContact & { sosOrder: number })[]> {
    const { items } = await this.first.get(ContactsService).list(this.family.owner, this.family.watch.did);
    return items.map(({ refId, userId = null, phoneNumber, sosOrder }) => ({ refId, userId, phoneNumber, sosOrder }));
  }

  async isMember({ id }: Principal): Promise<boolean> {
    return (await this.first.get(FamilyRosterService).findMembers(this.family.familyId)).some(
      ({ userId }) => userId === id,
    );
  }

  /** Processes due escalation steps, and then sends due alerts; both on all replicas concurrently. */
  async processDueSteps(): Promise<void> {
    const drain = async (work: () => Promise<number>) => {
      while ((await work()) > 0);
    };
    await Promise.all(this.replicas.map((replica) => drain(() => replica.get(SosEscalationService).processDue())));
    await Promise.all(this.replicas.map((replica) => replica.get(AlertSmsService).sendAllDue()));
  }
}
