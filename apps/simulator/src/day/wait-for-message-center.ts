import type { CenterMessageType } from '@family-watch/domain/messages/contracts/message-center';
import type { LoggedCenterMessage } from '../people/center-message-log.js';
import type { SchoolDay } from './school-day.js';

/**
 * Waits until both adults have a matching message in the message centre.
 * @param since - time of the cause, Unix milliseconds
 * @returns a text with each adult and the delay from `since` to the receipt of the message
 * @throws Error naming the adult whose message did not arrive before the deadline
 */
export async function waitForBothAdults(
  { mother, granny, observer }: Pick<SchoolDay, 'mother' | 'granny' | 'observer'>,
  type: CenterMessageType,
  what: string,
  since: number | ((message: LoggedCenterMessage) => number),
  matches: (message: LoggedCenterMessage) => boolean = () => true,
  timeoutMs = observer.timeoutMs,
): Promise<string> {
  const received = await Promise.all(
    [mother, granny].map(async ({ name, centerMessages }) => {
      const { delayMs } = await observer.waitFor(
        name,
        what,
        since,
        () => centerMessages.ofType(type).find(matches),
        timeoutMs,
      );
      return `${name} after ${delayMs} ms`;
    }),
  );
  return received.join(', ');
}
