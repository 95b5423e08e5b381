import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { LOCATION_REQUEST_STATE } from '@family-watch/domain/locations/contracts/location-request';
import type { AskedDto, AskProgressDto } from '@family-watch/domain/locations/dto/location-ask.dto';
import { outboundRuleOf } from '@family-watch/domain/messages/contracts/message-kinds';
import { UserctxOutbox } from '../../../infrastructure/userctx.outbox.js';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';
import { FamilyAccessService } from '../../families/family-access.service.js';
import { LocationRequestRepository } from './location-request.repository.js';

/** For as long as the message that carries the question lives. Milliseconds. */
export const LOCATION_REQUEST_TTL_MS = outboundRuleOf('AskLocationPointNoticeMessage').ttl ?? 0;

/** A guardian asks where a child is; the watch shows who asks, and answers by an ordinary report. */
@Injectable()
export class LocationRequestService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly access: FamilyAccessService,
    private readonly asks: LocationRequestRepository,
  ) {}

  /**
   * Who asks while a question is pending joins it: the answer is the same for both, and the watch is not asked twice.
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING.
   */
  async create(caller: Principal, requestedDid: number): Promise<AskedDto> {
    return this.unitOfWork.run(async () => {
      const { familyId, cid } = await this.access.requireForWatch(caller, requestedDid, 'ASK_LOCATION');
      const time = Date.now();
      // At its deadline itself a question can still be answered.
      await this.asks.expire(time - 1, cid);
      const pending = await this.asks.findPending(familyId, cid);
      // A watch that the child has no longer was asked in vain.
      if (pending?.did === requestedDid) return { askId: pending.askId, deadline: pending.deadline };
      if (pending) await this.asks.expire(pending.deadline, cid);
      const askId = randomUUID();
      const ask = {
        askId,
        familyId,
        cid,
        did: requestedDid,
        by: principalKey(caller),
        deadline: time + LOCATION_REQUEST_TTL_MS,
      };
      await this.asks.add({ ...ask, askedAt: time });
      await this.outbox.append({ name: 'userctx.location.asked', key: familyId, payload: { ...ask, time } });
      return { askId, deadline: ask.deadline };
    });
  }

  /** @throws ServiceError ASK_NOT_FOUND, PERMISSION_MISSING. */
  async find(caller: Principal, requestedAskId: string): Promise<AskProgressDto> {
    const ask = isUuid(requestedAskId) ? await this.asks.findForMember(caller.id, requestedAskId) : undefined;
    if (!ask) throw new ServiceError('ASK_NOT_FOUND');
    await this.access.requireForChild(caller, ask.cid, 'ASK_LOCATION', { unknown: 'ASK_NOT_FOUND' });
    const { askId, deadline, answer } = ask;
    const isOver = ask.state === LOCATION_REQUEST_STATE.ASKED && deadline < Date.now();
    return { askId, deadline, state: isOver ? LOCATION_REQUEST_STATE.EXPIRED : ask.state, location: answer };
  }
}
