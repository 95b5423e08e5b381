import { Injectable } from '@nestjs/common';
import { validationError } from '@family-watch/domain/kernel/contracts/service-error';
import { categoryPreference, DEFAULT_SUBSCRIPTION } from '@family-watch/domain/messages/contracts/subscription';
import type { Subscription } from '@family-watch/domain/messages/contracts/subscription';
import type { UpdateSubscriptionDto } from '@family-watch/domain/messages/dto/subscription.dto';
import { GatewayUnitOfWork } from '../../../infrastructure/gateway-infrastructure.js';
import { CenterMessageRepository } from '../message-center/center-message.repository.js';

/** Reads and updates users' notification preferences. */
@Injectable()
export class SubscriptionService {
  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly recipients: CenterMessageRepository,
  ) {}

  async get(userId: string): Promise<Subscription> {
    return (await this.findAll([userId])).get(userId) ?? DEFAULT_SUBSCRIPTION;
  }

  /**
   * Returns subscriptions by user id. Omits users who never changed their subscription; by default all categories are
   * enabled.
   */
  findAll(userIds: readonly string[]): Promise<Map<string, Subscription>> {
    return this.recipients.findSubscriptions(userIds);
  }

  /** @throws ServiceError VALIDATION_FAILED when SOS is disabled, or quiet hours have no duration */
  async update(userId: string, { categories = [], quietHours }: UpdateSubscriptionDto): Promise<Subscription> {
    if (categories.some(({ category, enabled, push }) => category === 'SOS' && (enabled === false || push === false))) {
      throw validationError('categories', 'isNotSos', 'SOS cannot be disabled');
    }
    if (quietHours && quietHours.from === quietHours.to) {
      throw validationError('quietHours', 'isRange', 'quietHours must not start and end at the same minute');
    }
    return this.unitOfWork.run(async () => {
      const current = (await this.recipients.lockRecipients([userId])).get(userId) ?? DEFAULT_SUBSCRIPTION;
      const updated: Subscription = {
        categories: { ...current.categories },
        quietHours: quietHours === undefined ? current.quietHours : quietHours && { ...quietHours },
      };
      for (const { category, enabled, push } of categories) {
        const preference = categoryPreference(updated, category);
        updated.categories[category] = { enabled: enabled ?? preference.enabled, push: push ?? preference.push };
      }
      await this.recipients.saveSubscription(userId, updated);
      return updated;
    });
  }
}
