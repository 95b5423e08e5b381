import { Injectable, Logger } from '@nestjs/common';
import { MIN_UUID } from '@family-watch/domain/kernel/contracts/identifier';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { MAX_ENTITLEMENTS_RETURNED, PRODUCT_KIND } from '@family-watch/domain/payments/contracts/payment';
import type { EntitlementListDto } from '@family-watch/domain/payments/dto/payment.dto';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { processRows } from '@family-watch/platform/jobs/process-rows';
import { UserctxOutbox, UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';
import { FamilyAccessService } from '../families/family-access.service.js';
import { FamilyRosterService } from '../families/family-roster.service.js';
import { EntitlementRepository, type Entitlement } from './entitlement.repository.js';
import type { Order } from './order.repository.js';

const CHANGE_INTERVAL_MS = 30_000;
const BATCH_SIZE = 100;
const DAY_MS = 24 * 3_600_000;

/**
 * Keeps the entitlements of families and publishes their current state. An entitlement of a product begins when the
 * family's last entitlement of the same product ends, so buying a product again prolongs it. Different products add up.
 */
@Injectable()
export class EntitlementsService {
  private readonly logger = new Logger(EntitlementsService.name);

  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly access: FamilyAccessService,
    private readonly roster: FamilyRosterService,
    private readonly entitlements: EntitlementRepository,
  ) {}

  /**
   * Returns the current and future entitlements of a family.
   * @throws ServiceError FAMILY_NOT_FOUND, PERMISSION_MISSING
   */
  async list(caller: Principal, familyId: string): Promise<EntitlementListDto> {
    await this.access.requireForFamily(caller, familyId, 'BUY');
    const found = await this.entitlements.findUnended(familyId, Date.now(), MAX_ENTITLEMENTS_RETURNED);
    const items = found.map(({ orderId, kind, cid, cloudBytes, startsAt, endsAt }) => {
      return { orderId, kind, cid, cloudBytes, startsAt, endsAt };
    });
    return { items };
  }

  /** For operators: returns what the families can use now, in the order of the ends. */
  findActive(familyIds: readonly string[]): Promise<Entitlement[]> {
    return this.entitlements.findActive(familyIds, Date.now());
  }

  /** Gives the family what the order contains. Must be called in a transaction that has locked the family. */
  async grant(order: Order, now: number): Promise<void> {
    const { orderId, familyId, productId, kind, cloudBytes, periodDays } = order;
    const cid = kind === PRODUCT_KIND.WATCH_PLAN ? order.cid : null;
    const lastEnd = await this.entitlements.findLastEnd({ familyId, productId, cid });
    const startsAt = Math.max(now, lastEnd ?? 0);
    const endsAt = startsAt + periodDays * DAY_MS;
    await this.entitlements.add({ orderId, familyId, cid, productId, kind, cloudBytes, startsAt, endsAt });
    await this.publish(familyId, now);
  }

  /**
   * Ends the entitlement of a refunded order. Later entitlements of the same product begin earlier. Must be called in a
   * transaction that has locked the family.
   */
  async revoke(orderId: string, now: number): Promise<void> {
    const entitlement = await this.entitlements.find(orderId);
    if (!entitlement || entitlement.endsAt <= now) return;
    await this.entitlements.remove(orderId);
    const remainingMs = entitlement.endsAt - Math.max(now, entitlement.startsAt);
    await this.entitlements.moveEarlier(entitlement, entitlement.endsAt, remainingMs);
    await this.publish(entitlement.familyId, now);
  }

  /** Ends the plans of an erased child. Must be called in a transaction. */
  async removeChild(familyId: string, cid: string, now: number): Promise<void> {
    await this.roster.lock(familyId);
    if (await this.entitlements.removeByChild(familyId, cid)) await this.publish(familyId, now);
  }

  /** Removes everything of erased families without publishing it. Must be called in a transaction. */
  async removeFamilies(familyIds: readonly string[]): Promise<void> {
    await this.entitlements.removeByFamilies(familyIds);
  }

  /** Publishes the entitlements of families in which one has begun or ended. */
  @OnJob('userctx.payments.change-entitlements', { intervalMs: CHANGE_INTERVAL_MS, firstRun: 'at start' })
  async publishDue(now: number): Promise<void> {
    await processRows<string>(
      (after) => this.entitlements.findDueFamilies(now, BATCH_SIZE, after ?? MIN_UUID),
      (familyId) =>
        this.unitOfWork.run(async () => {
          await this.roster.lock(familyId);
          // Another replica may have published the change meanwhile.
          if (await this.entitlements.isDue(familyId, now)) await this.publish(familyId, now);
        }),
      (familyId, err) => this.logger.error({ msg: 'Change of entitlements failed', familyId, err }),
    );
  }

  private async publish(familyId: string, now: number): Promise<void> {
    const unended = await this.entitlements.findUnended(familyId, now);
    const active = unended.filter(({ startsAt }) => startsAt <= now);
    const changes = unended.map(({ startsAt, endsAt }) => (startsAt > now ? startsAt : endsAt));
    const nextChangeAt = changes.length > 0 ? Math.min(...changes) : null;
    const version = await this.entitlements.nextVersion(familyId, nextChangeAt);
    await this.outbox.appendForFamily('userctx.entitlement.changed', {
      familyId,
      version,
      cloudBytes: active.reduce((sum, { cloudBytes }) => sum + (cloudBytes ?? 0), 0),
      watchPlanCids: childrenWithPlan(active),
      time: now,
    });
  }
}

function childrenWithPlan(active: readonly Entitlement[]): string[] {
  return [...new Set(active.flatMap(({ cid }) => cid ?? []))].sort();
}
