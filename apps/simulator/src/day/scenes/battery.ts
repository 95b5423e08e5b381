import type { SchoolDay } from '../school-day.js';
import { toldAll } from '../told.js';
import type { Scene } from '../scene.js';

/** Per cent: what is left when parents are told. */
const LOW = 20;
const LESS = 9;

export const batteryLow: Scene = {
  promise: 'the battery ran low, and the parents were told once',
  async play(day) {
    const { watch } = day;
    while (watch.vitals.battery - LESS > LOW) await drain(watch, LESS);
    const since = Date.now();
    await drain(watch, LESS);
    const left = watch.vitals.battery;
    watch.tell(`has ${left} % of its battery left`);
    const took = await toldAll(day, 'BATTERY_LOW', 'hears that the battery is low', since);
    const [news, ...more] = day.mother.news.of('BATTERY_LOW');
    if (news?.params['battery'] !== left || more.length > 0) throw new Error('told of another battery, or twice');
    return `${left} %, ${took}`;
  },
};

async function drain(watch: SchoolDay['watch'], percent: number): Promise<void> {
  watch.vitals.drain(percent);
  await watch.beat();
}
