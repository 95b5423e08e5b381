import { Injectable } from '@nestjs/common';
import { validationError } from '@family-watch/domain/kernel/contracts/service-error';
import {
  categoryPreference,
  DEFAULT_SUBSCRIPTION,
  type Subscription,
  type QuietHours,
} from '@family-watch/domain/messages/contracts/subscription';
import type { UpdateSubscriptionDto } from '@family-watch/domain/messages/dto/subscription.dto';
import { GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
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

  /** @throws ServiceError VALIDATION_FAILED when SOS is disabled, or quiet hours start and end at the same minute */
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

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/**
 * Returns whether quiet hours are in effect at `time`, by the local time in their time zone. Quiet hours within the
 * hour that is skipped in spring do not take effect on the day of the change. Quiet hours within the hour that is
 * repeated in autumn take effect in both passes.
 * @param time Unix milliseconds
 */
export function isQuiet({ from, to, timeZone, weekdays }: QuietHours, time: number): boolean {
  const { weekday, minuteOfDay } = toLocalTime(time, timeZone);
  const startsOn = (day: number) => weekdays === undefined || weekdays.includes(day);
  if (from <= to) return startsOn(weekday) && minuteOfDay >= from && minuteOfDay < to;
  // The range spans midnight: the evening counts for the current weekday, the morning for the previous weekday.
  return minuteOfDay >= from ? startsOn(weekday) : minuteOfDay < to && startsOn(weekday === 1 ? 7 : weekday - 1);
}

function toLocalTime(time: number, timeZone: string): { weekday: number; minuteOfDay: number } {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]));
  return {
    weekday: WEEKDAYS.indexOf(parts.get('weekday') ?? '') + 1,
    minuteOfDay: Number(parts.get('hour')) * 60 + Number(parts.get('minute')),
  };
}
