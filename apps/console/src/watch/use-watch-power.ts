import { useEffect, useState } from 'react';
import type { EnrolledWatch } from './watch-identity.js';

export type Power = 'on' | 'off' | 'booting';

/** Milliseconds from the shutdown to the start in a reboot. */
const BOOT_MS = 3_000;

export interface WatchPower {
  power: Power;
  /** Turns the watch on, as the child does with the button. */
  turnOn: () => Promise<void>;
  /** Turns the watch off because its battery is empty. */
  goFlat: () => Promise<void>;
}

/**
 * Whether the watch is on. It obeys the commands to reboot and to shut down: it acknowledges the message when it
 * begins, and reports the result when it has ended; before a shutdown, because it is offline afterwards.
 */
export function useWatchPower(watch: EnrolledWatch | undefined): WatchPower {
  const [power, setPower] = useState<Power>('on');
  useEffect(() => {
    if (!watch) return;
    const { client, gateway } = watch;
    const cleanups = [
      gateway.onMessage('RemoteControlRebootNoticeMessage', async ({ id, payload: { commandId } }) => {
        await gateway.send('AckMessage', { messageId: id, status: 'APPLIED' });
        setPower('booting');
        await shutDown(watch, 'REMOTE');
        await new Promise((resolve) => setTimeout(resolve, BOOT_MS));
        await start(watch, 'REMOTE');
        setPower('on');
        await client.watch.reportCommandResult({ commandId, ok: true });
      }),
      gateway.onMessage('RemoteControlShutdownNoticeMessage', async ({ id, payload: { commandId } }) => {
        await gateway.send('AckMessage', { messageId: id, status: 'APPLIED' });
        await client.watch.reportCommandResult({ commandId, ok: true });
        await shutDown(watch, 'REMOTE');
        setPower('off');
      }),
    ];
    return () => {
      for (const cleanup of cleanups) cleanup();
    };
  }, [watch]);
  return {
    power,
    turnOn: async () => {
      if (!watch) return;
      setPower('booting');
      await start(watch, 'USER');
      setPower('on');
    },
    goFlat: async () => {
      if (!watch) return;
      await shutDown(watch, 'BATTERY');
      setPower('off');
    },
  };
}

/** A watch that is not connected turns off without a notice. */
async function shutDown({ gateway }: EnrolledWatch, cause: 'REMOTE' | 'BATTERY'): Promise<void> {
  await gateway.send('WristwatchShutdownNoticeMessage', { time: Date.now(), cause }).catch(() => undefined);
  gateway.stop();
}

async function start({ gateway }: EnrolledWatch, cause: 'REMOTE' | 'USER'): Promise<void> {
  gateway.start();
  await gateway.whenConnected();
  await gateway.send('WristwatchStartupNoticeMessage', { time: Date.now(), cause });
}
