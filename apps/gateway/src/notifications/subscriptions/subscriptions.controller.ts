import { Body, Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import {
  categoryPreference,
  SUBSCRIPTION_CATEGORY,
  type Subscription,
} from '@family-watch/domain/messages/contracts/subscription';
import { SubscriptionDto, UpdateSubscriptionDto } from '@family-watch/domain/messages/dto/subscription.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { SubscriptionService } from './subscription.service.js';
import { PushProviderRegistryService } from '../push/providers/push-provider-registry.service.js';

/** Reads and updates the caller's notification preferences; returns the available push services. */
@ApiTags('Messages')
@Controller('apis/v2/message/subscription')
export class SubscriptionsController {
  constructor(
    private readonly subscriptions: SubscriptionService,
    private readonly services: PushProviderRegistryService,
  ) {}

  @Get('get')
  @Operation({
    id: 'getSubscription',
    access: ['user'],
    summary: 'Get the caller’s notification preferences',
    response: SubscriptionDto,
  })
  async getSubscription(@Caller() { id }: Principal): Promise<SubscriptionDto> {
    return this.toDto(await this.subscriptions.get(id));
  }

  @Post('update')
  @Operation({
    id: 'updateSubscription',
    access: ['user'],
    summary: 'Update the caller’s notification preferences',
    description: 'SOS cannot be disabled. Quiet hours suppress push notifications, except urgent ones.',
    response: SubscriptionDto,
    errors: ['VALIDATION_FAILED'],
  })
  async updateSubscription(@Caller() { id }: Principal, @Body() body: UpdateSubscriptionDto): Promise<SubscriptionDto> {
    return this.toDto(await this.subscriptions.update(id, body));
  }

  private toDto(subscription: Subscription): SubscriptionDto {
    const categories = Object.values(SUBSCRIPTION_CATEGORY);
    return {
      categories: categories.map((category) => ({ category, ...categoryPreference(subscription, category) })),
      quietHours: subscription.quietHours,
      pushServices: this.services.serviceNames(),
      webPushKey: this.services.webPushKey,
    };
  }
}
