import { CENTER_CATEGORY } from './message-center.js';

/** What a person can subscribe to: the categories of the message centre, and chat, which only pushes. */
export const SUBSCRIPTION_CATEGORY = { ...CENTER_CATEGORY, CHAT: 'CHAT' } as const;
export type SubscriptionCategory = (typeof SUBSCRIPTION_CATEGORY)[keyof typeof SUBSCRIPTION_CATEGORY];

/** `enabled`: it comes into the message centre. `push`: it also reaches a phone that is not connected. */
export interface CategoryPreference {
  enabled: boolean;
  push: boolean;
}

/**
 * When nothing but URGENT is pushed; what is connected is told as always. `from` and `to` are minutes of the day in
 * `timeZone`, `to` excluded; a range that ends before it begins crosses midnight and belongs to the day it begins on.
 */
export interface QuietHours {
  from: number;
  to: number;
  timeZone: string;
  /** Days on which it begins, 1 Monday to 7 Sunday; absent means every day. */
  weekdays?: number[];
}

/** Everything is wanted unless it says otherwise. */
export interface Subscription {
  categories: Partial<Record<SubscriptionCategory, CategoryPreference>>;
  quietHours: QuietHours | null;
}

export const DEFAULT_SUBSCRIPTION: Subscription = { categories: {}, quietHours: null };

const EVERYTHING: CategoryPreference = { enabled: true, push: true };

/** What a person has chosen for a category. Nobody can switch SOS off. */
export function categoryPreference({ categories }: Subscription, category: SubscriptionCategory): CategoryPreference {
  return category === 'SOS' ? EVERYTHING : (categories[category] ?? EVERYTHING);
}
