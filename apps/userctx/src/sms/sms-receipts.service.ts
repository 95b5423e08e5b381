import { Injectable } from '@nestjs/common';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { SmsProviderName } from '@family-watch/domain/sms/contracts/sms';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { continueAsCaller } from '@family-watch/platform/concurrency/work-priority';
import { UserctxOutbox, UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';
import type { ReceiptCallback } from './providers/sms-provider.js';
import { SmsProviderRegistryService } from './providers/sms-provider-registry.service.js';
import { SmsMessageRepository } from './sms-message.repository.js';

const RETENTION_INTERVAL_MS = 10 * 60_000;
/** Retention of the states of sent SMS: seven days. Providers report a delivery within three days. */
const RETENTION_MS = 7 * 24 * 60 * 60_000;

/** Stores delivery receipts, and publishes alerts that did not reach the phone. */
@Injectable()
export class SmsReceiptsService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly registry: SmsProviderRegistryService,
    private readonly messages: SmsMessageRepository,
  ) {}

  /** @throws ServiceError FORBIDDEN unless the provider is in use and has sent the request */
  async receive(name: SmsProviderName, callback: ReceiptCallback): Promise<void> {
    const receipts = this.registry.find(name)?.parseReceipts?.(callback);
    if (!receipts) throw new ServiceError('FORBIDDEN');
    if (receipts.length === 0) return;
    continueAsCaller(undefined);
    await this.unitOfWork.run(async () => {
      for (const reported of await this.messages.applyReceipts(name, receipts, Date.now())) {
        const { state, areaCode, alert } = reported;
        const hasOtherProvider = this.registry.chainFor(areaCode).some((provider) => provider.name !== name);
        if (state !== 'UNDELIVERED' || !alert || !hasOtherProvider) continue;
        // A later SMS of the alert may have been sent meanwhile, so that a late receipt must not lead to another one.
        if (!(await this.messages.takeAlert(reported))) continue;
        await this.outbox.appendForFamily('userctx.sms.undelivered', { ...alert, provider: name });
      }
    });
  }

  @OnJob('userctx.sms.delete-old-messages', { intervalMs: RETENTION_INTERVAL_MS })
  async deleteOld(now: number): Promise<void> {
    await this.messages.prune(now - RETENTION_MS);
  }
}
