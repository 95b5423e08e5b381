import { Injectable } from '@nestjs/common';
import type { ErasureSubjects } from '@family-watch/domain/kernel/contracts/account-erasure';
import type { DomainEvents } from '@family-watch/domain/events';
import { AccountErasureEntity } from '@family-watch/domain/kernel/entities/account-erasure.entity';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { EventOf } from '@family-watch/event-bus/event-map';
import {
  AccountErasure,
  ERASURE_BATCH_SIZE,
  sumCounts,
  type ErasurePass,
} from '@family-watch/platform/app/erasure/account-erasure';
import { OnEvent } from '@family-watch/platform/jobs/on-event.decorator';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { GatewayOutbox, GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import { ConversationMembershipService } from '../../conversations/membership/conversation-membership.service.js';
import { ErasedDataRepository } from './erased-data.repository.js';

/**
 * Erases what the gateway keeps about erased accounts: mailboxes, cursors, center messages, push subscriptions, calls and
 * conversations. Of a person whose family continues, the direct conversations are erased, and in the family group the
 * person's messages.
 */
@Injectable()
export class GatewayAccountErasure extends AccountErasure {
  constructor(
    unitOfWork: GatewayUnitOfWork,
    outbox: GatewayOutbox,
    private readonly conversations: ConversationMembershipService,
    private readonly data: ErasedDataRepository,
  ) {
    super('gateway', unitOfWork, outbox);
  }

  @OnEvent('userctx.account.erased', { handler: 'gateway.account-erasure.begin' })
  async beginErasure({ payload }: EventOf<DomainEvents, 'userctx.account.erased'>): Promise<void> {
    const { userId, familyIds, cids, dids, receiptId, time } = payload;
    await this.begin(receiptId, { userId, familyIds, cids, dids }, time);
  }

  @OnJob('gateway.account-erasure.continue', {
    intervalMs: 1_000,
    queue: { entity: AccountErasureEntity, dueAt: 'dueAt' },
  })
  continue(now: number, signal: AbortSignal): Promise<void> {
    return this.continueDue(now, signal);
  }

  protected override async erase(subjects: ErasureSubjects): Promise<ErasurePass> {
    const { userId, familyIds, cids, dids } = subjects;
    const principals: PrincipalKey[] = dids.map((did): PrincipalKey => `watch:${did}`);
    for (const familyId of familyIds) principals.push(...(await this.conversations.findPrincipals(familyId)));
    let messages = await this.conversations.eraseMember(`user:${userId}`, ERASURE_BATCH_SIZE);
    for (const cid of cids) messages += await this.conversations.eraseMember(`child:${cid}`, ERASURE_BATCH_SIZE);
    for (const familyId of familyIds) messages += await this.conversations.eraseFamily(familyId, ERASURE_BATCH_SIZE);
    const counts = await this.data.erase(subjects, [...new Set(principals)]);
    // An earlier snapshot that arrives after the event creates the person's conversations again.
    const isPending = (await this.data.isMember(userId)) || (await this.data.hasCalls(subjects));
    return { counts: sumCounts(counts, { chat_message: messages }), isPending };
  }
}
