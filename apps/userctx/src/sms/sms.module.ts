import { Module } from '@nestjs/common';
import { SmsProviderRegistryService } from './providers/sms-provider-registry.service.js';
import { SmsMessageRepository } from './sms-message.repository.js';
import { SmsReceiptsController } from './sms-receipts.controller.js';
import { SmsReceiptsService } from './sms-receipts.service.js';
import { SmsSender } from './sms-sender.service.js';

/**
 * Short messages: providers, failover between them, and delivery receipts. The rooms that have something to say by
 * SMS call `SmsSender`; texts and languages are theirs.
 *
 * - Parts: `providers/` (Alibaba Cloud, Tencent Cloud, Twilio, webhook).
 * - Tables: `sms_message`.
 * - Publishes: `userctx.sms.undelivered`.
 * - Needs: no other room.
 */
@Module({
  controllers: [SmsReceiptsController],
  providers: [SmsMessageRepository, SmsProviderRegistryService, SmsReceiptsService, SmsSender],
  exports: [SmsMessageRepository, SmsSender],
})
export class SmsModule {}
