import type { CenterMessageType } from '@family-watch/domain/messages/contracts/message-center';
import type { LoggedCenterMessage } from '../people/center-message-log.js';
import type { SchoolDay } from './school-day.js';

/**
 * Waits until both grown-ups were told in the message centre.
 * @param since - when it happened, Unix milliseconds
 * @returns who was told after how long
 * @throws Error saying who was not told in time
 */
export async function waitForBothAdults(
  { mother, granny, witness }: Pick<SchoolDay, 'mother' | 'granny' | 'witness'>,
  type: CenterMessageType,
  what: string,
  since: number | ((news: LoggedCenterMessage) => number),
  isIt: (news: LoggedCenterMessage) => boolean = () => true,
  patience = witness.patience,
): Promise<string> {
  const told = await Promise.all(
    [mother, granny].map(async ({ name, news }) => {
      const { took } = await witness.waitFor(name, what, since, () => news.of(type).find(isIt), patience);
      return `${name} after ${took} ms`;
    }),
  );
  return told.join(', ');
}
