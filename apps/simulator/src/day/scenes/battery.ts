import type { SchoolDay } from '../school-day.js';
import { waitForBothAdults } from '../wait-for-message-center.js';
import type { Scene } from '../scene.js';

/** Battery level at which the service alerts the parents, per cent. */
const LOW_PERCENT = 20;
const DRAIN_PERCENT = 9;

export const batteryLow: Scene = {
  expectation: 'both adults receive one alert when the battery is low',
  async run(day) {
    const { watch } = day;
    while (watch.vitals.battery - DRAIN_PERCENT > LOW_PERCENT) await drainBattery(watch, DRAIN_PERCENT);
    const since = Date.now();
    await drainBattery(watch, DRAIN_PERCENT);
    const left = watch.vitals.battery;
    watch.log(`has ${left} % of its battery left`);
    const took = await waitForBothAdults(day, 'BATTERY_LOW', 'is alerted that the battery is low', since);
    const [alert, ...more] = day.mother.centerMessages.ofType('BATTERY_LOW');
    if (alert?.params['battery'] !== left || more.length > 0)
      throw new Error('the alert has another battery level, or was sent twice');
    return `${left} %, ${took}`;
  },
};

async function drainBattery(watch: SchoolDay['watch'], percent: number): Promise<void> {
  watch.vitals.drain(percent);
  await watch.sendHeartbeat();
}
