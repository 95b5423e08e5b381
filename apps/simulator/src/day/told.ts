import type { CenterMessageType } from '@family-watch/domain/messages/contracts/message-center';
import type { NewsItem } from '../people/news.js';
import type { SchoolDay } from './school-day.js';

/**
 * Waits until both grown-ups were told in the message centre.
 * @param since - when it happened, Unix milliseconds
 * @returns who was told after how long
 * @throws Error saying who was not told in time
 */
export async function toldAll(
  { mother, granny, witness }: Pick<SchoolDay, 'mother' | 'granny' | 'witness'>,
  type: CenterMessageType,
  what: string,
  since: number | ((news: NewsItem) => number),
  isIt: (news: NewsItem) => boolean = () => true,
  patience = witness.patience,
): Promise<string> {
  const told = await Promise.all(
    [mother, granny].map(async ({ name, news }) => {
      const { took } = await witness.sees(name, what, since, () => news.of(type).find(isIt), patience);
      return `${name} after ${took} ms`;
    }),
  );
  return told.join(', ');
}
