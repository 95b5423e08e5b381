import { expect, test } from '@jest/globals';
import { Narrator } from '../narrator.js';
import { DeliveryObserver } from './delivery-observer.js';

function createObserver(): { lines: string[]; observer: DeliveryObserver } {
  const lines: string[] = [];
  const narrator = new Narrator({ write: (line: string) => lines.push(line) } as unknown as NodeJS.WritableStream);
  return { lines, observer: new DeliveryObserver(narrator, 0) };
}

test('DeliveryObserver logs who received a delivery and after how many milliseconds', async () => {
  const { lines, observer } = createObserver();
  const seen = await observer.waitFor('granny', 'receives the alert', 40, () => ({ observedAt: 100, alert: 'school' }));
  expect(seen).toEqual({ observedAt: 100, alert: 'school', delayMs: 60 });
  expect(lines.join('')).toMatch(/granny {2}receives the alert \(after 60 ms\)/);
  const later = await observer.waitFor(
    'granny',
    'receives it',
    ({ sentAt }) => sentAt,
    () => ({ observedAt: 100, sentAt: 90 }),
  );
  expect(later.delayMs).toBe(10);
});

test('after the timeout DeliveryObserver throws an error that names the missing delivery, and logs nothing', async () => {
  const { lines, observer } = createObserver();
  const missing = observer.waitFor('granny', 'receives the alert', 40, () => undefined);
  await expect(missing).rejects.toThrow('waited 0 s for granny, who receives the alert');
  expect(lines).toEqual([]);
});
