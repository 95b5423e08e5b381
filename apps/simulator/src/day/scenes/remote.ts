import type { SchoolDay } from '../school-day.js';
import type { Scene } from '../scene.js';
import { observedNow } from '../delivery-observer.js';

export const watchRang: Scene = {
  expectation: 'the watch rang to be found',
  async run(day) {
    const since = Date.now();
    return `done after ${await done(day, await day.care.find(), since)} ms`;
  },
};

export const locationRequested: Scene = {
  expectation: 'the watch answered where Mia is',
  async run({ mother, care, witness }) {
    const since = Date.now();
    const askId = await care.requestLocation();
    const { took, location } = await witness.waitFor(mother.name, 'has the answer', since, async () => {
      const answer = await care.findLocationRequest(askId);
      return answer.state === 'ANSWERED' ? observedNow(answer) : undefined;
    });
    return `${location?.latitude}, ${location?.longitude} after ${took} ms`;
  },
};

export const watchRestarted: Scene = {
  expectation: 'the watch was restarted, and said that it is back',
  async run(day) {
    const { mother, watch, witness } = day;
    const since = Date.now();
    const commandId = await day.care.reboot();
    const { took } = await witness.waitFor(mother.name, 'hears that the watch has started', since, () =>
      mother.arrivals
        .of('WristwatchStartupNoticeMessage')
        .find(({ message: { payload } }) => payload.did === watch.did && payload.cause === 'REMOTE'),
    );
    await done(day, commandId, since);
    return `back after ${took} ms`;
  },
};

/** @returns milliseconds until the guardian sees that it was carried out */
async function done({ mother, care, witness }: SchoolDay, commandId: string, since: number): Promise<number> {
  const { took } = await witness.waitFor(mother.name, 'sees that it was done', since, async () => {
    const command = await care.command(commandId);
    return command?.state === 'DONE' ? observedNow(command) : undefined;
  });
  return took;
}
