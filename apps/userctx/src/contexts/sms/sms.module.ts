import { Module } from '@nestjs/common';
import { SmsProviderRegistryService } from './providers/sms-provider-registry.service.js';
import { SmsMessageRepository } from './sms-message.repository.js';
import { SmsReceiptsController } from './sms-receipts.controller.js';
import { SmsReceiptsService } from './sms-receipts.service.js';
import { SmsSender } from './sms-sender.service.js';

/** SMS: providers, failover and delivery receipts. */
@Module({
  controllers: [SmsReceiptsController],
  providers: [SmsMessageRepository, SmsProviderRegistryService, SmsReceiptsService, SmsSender],
  exports: [SmsMessageRepository, SmsSender],
})
export class SmsModule {}
