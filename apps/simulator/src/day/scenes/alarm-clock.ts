import type { Scene } from '../scene.js';
import { observedNow } from '../delivery-observer.js';

export const alarmClock: Scene = {
  expectation: 'the watch applies an alarm that the mother sets',
  async run({ mother, watchActions, watch, observer }) {
    const since = Date.now();
    await watchActions.setAlarm();
    const { version, delayMs } = await observer.waitFor(
      mother.name,
      'sees that the watch applied the alarm',
      since,
      async () => {
        const alarms = await watchActions.alarms();
        return alarms.items.length > 0 && alarms.state === 'APPLIED' ? observedNow(alarms) : undefined;
      },
    );
    const [alarm] = watch.settings.current.ALARM_CLOCK?.items ?? [];
    if (alarm?.label !== 'Good morning') throw new Error('the watch stored a different alarm');
    return `version ${version}, after ${delayMs} ms`;
  },
};
