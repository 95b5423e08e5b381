import { Injectable } from '@nestjs/common';
import { validationError } from '@family-watch/domain/kernel/contracts/service-error';
import { categoryPreference, DEFAULT_SUBSCRIPTION } from '@family-watch/domain/messages/contracts/subscription';
import type { Subscription } from '@family-watch/domain/messages/contracts/subscription';
import type { UpdateSubscriptionDto } from '@family-watch/domain/messages/dto/subscription.dto';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import { CenterRecipientRepository } from './center-recipient.repository.js';

/** What people want to hear of. */
@Injectable()
export class SubscriptionService {
  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly readers: CenterRecipientRepository,
  ) {}

  async get(userId: string): Promise<Subscription> {
    return (await this.findAll([userId])).get(userId) ?? DEFAULT_SUBSCRIPTION;
  }

  /** By person; one who never chose is left out and wants everything. */
  findAll(userIds: readonly string[]): Promise<Map<string, Subscription>> {
    return this.readers.findSubscriptions(userIds);
  }

  /** @throws ServiceError VALIDATION_FAILED for switching SOS off, or quiet hours that last no time */
  async update(userId: string, { categories = [], quietHours }: UpdateSubscriptionDto): Promise<Subscription> {
    if (categories.some(({ category, enabled, push }) => category === 'SOS' && (enabled === false || push === false))) {
      throw validationError('categories', 'isNotSos', 'SOS cannot be switched off');
    }
    if (quietHours && quietHours.from === quietHours.to) {
      throw validationError('quietHours', 'isRange', 'quietHours must not begin and end at the same minute');
    }
    return this.unitOfWork.run(async () => {
      const known = (await this.readers.lock([userId])).get(userId) ?? DEFAULT_SUBSCRIPTION;
      const changed: Subscription = {
        categories: { ...known.categories },
        quietHours: quietHours === undefined ? known.quietHours : quietHours && { ...quietHours },
      };
      for (const { category, enabled, push } of categories) {
        const before = categoryPreference(changed, category);
        changed.categories[category] = { enabled: enabled ?? before.enabled, push: push ?? before.push };
      }
      await this.readers.saveSubscription(userId, changed);
      return changed;
    });
  }
}
