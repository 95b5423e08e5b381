import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { principalKey, type Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { LOCATION_REQUEST_STATE } from '@family-watch/domain/locations/contracts/location';
import type { AskedDto, AskProgressDto } from '@family-watch/domain/locations/dto/location.dto';
import { outboundRuleOf } from '@family-watch/domain/messages/contracts/message-kinds';
import { Environment } from '@family-watch/platform/config/environment';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { UserctxChildReads, UserctxOutbox, UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';
import { FamilyAccessService } from '../families/family-access.service.js';
import { LocationRequestRepository } from './location-request.repository.js';

/**
 * Time for the watch to respond to a location request; equal to the TTL of the message that sends the request to the
 * watch. Milliseconds.
 */
export const LOCATION_REQUEST_TTL_MS = outboundRuleOf('AskLocationPointNoticeMessage').ttl ?? 0;

const EXPIRY_INTERVAL_MS = 60_000;
/**
 * Delay in milliseconds from the deadline of a request to its expiry, because a report that was received before the
 * deadline may be processed after it.
 */
const LATE_REPORT_GRACE_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * Requests a child's current location from the watch. The watch shows who requested the location and responds with a
 * regular location report.
 */
@Injectable()
export class LocationRequestService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly access: FamilyAccessService,
    private readonly requests: LocationRequestRepository,
    private readonly childReads: UserctxChildReads,
    @Inject(Environment) private readonly environment: Pick<Environment, 'RETENTION_LOCATION_DAYS'>,
  ) {}

  /**
   * Creates a location request. If a request to the watch is pending, returns the pending request, so that the watch
   * receives only one.
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING
   */
  async create(caller: Principal, requestedDid: number): Promise<AskedDto> {
    return this.unitOfWork.run(async () => {
      const { familyId, cid } = await this.access.requireForWatch(caller, requestedDid, 'ASK_LOCATION');
      const time = Date.now();
      // Requests expire only after their deadline: a report received at the deadline still completes the request.
      await this.requests.expire(time - 1, cid);
      const pending = await this.requests.findPending(familyId, cid);
      // A pending request to another watch expires, because the child no longer has that watch.
      if (pending?.did === requestedDid) return { askId: pending.askId, deadline: pending.deadline };
      if (pending) await this.requests.expire(pending.deadline, cid);
      const askId = randomUUID();
      const request = {
        askId,
        familyId,
        cid,
        did: requestedDid,
        by: principalKey(caller),
        deadline: time + LOCATION_REQUEST_TTL_MS,
      };
      await this.requests.add({ ...request, askedAt: time });
      await this.outbox.appendForFamily('userctx.location.asked', { ...request, time });
      return { askId, deadline: request.deadline };
    });
  }

  /** @throws ServiceError ASK_NOT_FOUND, PERMISSION_MISSING */
  async find(caller: Principal, requestedAskId: string): Promise<AskProgressDto> {
    const request = isUuid(requestedAskId) ? await this.requests.findForMember(caller.id, requestedAskId) : undefined;
    if (!request) throw new ServiceError('ASK_NOT_FOUND');
    await this.access.requireForChild(caller, request.cid, 'ASK_LOCATION', { unknownReason: 'ASK_NOT_FOUND' });
    const { askId, deadline, location } = request;
    if (location) this.childReads.recordCaller(caller, request.cid, 'LOCATION');
    const isExpired = request.state === LOCATION_REQUEST_STATE.ASKED && deadline < Date.now();
    return { askId, deadline, state: isExpired ? LOCATION_REQUEST_STATE.EXPIRED : request.state, location };
  }

  /** Expires unanswered location requests and deletes old ones, which are retained as long as location points. */
  @OnJob('userctx.locations.expire-requests', { intervalMs: EXPIRY_INTERVAL_MS })
  async expireDue(now: number): Promise<void> {
    await this.requests.expire(now - LATE_REPORT_GRACE_MS);
    await this.requests.deleteOld(now - this.environment.RETENTION_LOCATION_DAYS * DAY_MS);
  }
}
