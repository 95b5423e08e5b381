import type { Schema } from '@family-watch/client';
import { useEffect, useRef, useState } from 'react';
import type { WatchSettings } from './use-watch-settings.js';
import type { EnrolledWatch } from './watch-identity.js';

/** Why the watch rings. */
export type Ringing = { reason: 'find' } | { reason: 'alarm'; label: string };

/** Milliseconds after which the watch stops ringing by itself. */
const RING_MS = 20_000;

/** Rings on the command of a parent, and at the times of the alarms. */
export function useRinging(watch: EnrolledWatch | undefined, { applied, pull }: WatchSettings, now: number) {
  const [ringing, setRinging] = useState<Ringing>();
  /** Ends the command that made the watch ring. */
  const endCommand = useRef<() => void>(undefined);
  useEffect(() => {
    if (!watch) return;
    const { client, gateway } = watch;
    return gateway.onMessage('RemoteControlFindNoticeMessage', async ({ id, payload: { commandId } }) => {
      await gateway.send('AckMessage', { messageId: id, status: 'APPLIED' });
      setRinging({ reason: 'find' });
      endCommand.current = () => void client.watch.reportCommandResult({ commandId, ok: true });
    });
  }, [watch]);

  const due = applied.ALARM_CLOCK?.items.find((alarm) => isDue(alarm, now));
  // Each pull returns other objects: an alarm rings once per time.
  const dueKey = due && `${due.alarmId} ${due.nextRingAt}`;
  const dueLabel = due?.label ?? '';
  useEffect(() => {
    if (dueKey === undefined) return;
    setRinging({ reason: 'alarm', label: dueLabel });
    // The service computes when the alarm rings the next time. Without a connection, the next notice brings it.
    pull().catch(() => undefined);
  }, [dueKey, dueLabel, pull]);

  const stop = () => {
    setRinging(undefined);
    endCommand.current?.();
    endCommand.current = undefined;
  };
  const stopRef = useRef(stop);
  stopRef.current = stop;
  useEffect(() => {
    if (!ringing) return;
    const timer = setTimeout(() => stopRef.current(), RING_MS);
    return () => clearTimeout(timer);
  }, [ringing]);
  return { ringing, stop };
}

function isDue({ enabled, nextRingAt }: Schema<'AlarmClockDto'>, now: number): boolean {
  return enabled && nextRingAt !== null && nextRingAt <= now;
}
