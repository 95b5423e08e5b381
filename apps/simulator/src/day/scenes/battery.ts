import type { SchoolDay } from '../school-day.js';
import { waitForBothAdults } from '../center-messages.js';
import type { Scene } from '../scene.js';

/** Per cent: what is left when parents are told. */
const LOW = 20;
const LESS = 9;

export const batteryLow: Scene = {
  expectation: 'the battery ran low, and the parents were told once',
  async run(day) {
    const { watch } = day;
    while (watch.vitals.battery - LESS > LOW) await drain(watch, LESS);
    const since = Date.now();
    await drain(watch, LESS);
    const left = watch.vitals.battery;
    watch.log(`has ${left} % of its battery left`);
    const took = await waitForBothAdults(day, 'BATTERY_LOW', 'hears that the battery is low', since);
    const [news, ...more] = day.mother.news.of('BATTERY_LOW');
    if (news?.params['battery'] !== left || more.length > 0) throw new Error('told of another battery, or twice');
    return `${left} %, ${took}`;
  },
};

async function drain(watch: SchoolDay['watch'], percent: number): Promise<void> {
  watch.vitals.drain(percent);
  await watch.sendHeartbeat();
}
