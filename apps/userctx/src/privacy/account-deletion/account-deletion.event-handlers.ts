import { Injectable } from '@nestjs/common';
import type { ErasingApp } from '@family-watch/domain/kernel/contracts/account-erasure';
import { OnEvent, type HandledEvent } from '@family-watch/platform/jobs/on-event.decorator';
import { AccountDeletionService } from './account-deletion.service.js';

const CONFIRMATIONS = [
  'userctx.account-erasure.confirmed',
  'gateway.account-erasure.confirmed',
  'mcdisk.account-erasure.confirmed',
] as const;

/** Completes erasures when the apps have confirmed them. */
@Injectable()
export class AccountDeletionEventHandlers {
  constructor(private readonly deletions: AccountDeletionService) {}

  @OnEvent(CONFIRMATIONS, { handler: 'userctx.account-deletion.confirm' })
  async storeConfirmation({ name, payload }: HandledEvent<(typeof CONFIRMATIONS)[number]>): Promise<void> {
    await this.deletions.confirm(name.slice(0, name.indexOf('.')) as ErasingApp, payload);
  }
}
