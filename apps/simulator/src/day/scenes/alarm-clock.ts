import type { Scene } from '../scene.js';
import { observedNow } from '../delivery-observer.js';

export const alarmClock: Scene = {
  expectation: 'an alarm was set, and applied by the watch',
  async run({ mother, care, watch, witness }) {
    const since = Date.now();
    await care.setAlarm();
    const { version, took } = await witness.waitFor(
      mother.name,
      'sees that the watch has applied it',
      since,
      async () => {
        const alarms = await care.alarms();
        return alarms.items.length > 0 && alarms.state === 'APPLIED' ? observedNow(alarms) : undefined;
      },
    );
    const [alarm] = watch.settings.current.ALARM_CLOCK?.items ?? [];
    if (alarm?.label !== 'Good morning') throw new Error('the watch has another alarm');
    return `version ${version}, after ${took} ms`;
  },
};
