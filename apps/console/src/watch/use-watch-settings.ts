import { ApiError, type Schema } from '@family-watch/client';
import { useCallback, useEffect, useState } from 'react';
import type { EnrolledWatch } from './watch-identity.js';

export type AppliedSettings = Partial<Schema<'WatchSettingsDto'>>;
type Resource = 'ALARM_CLOCK' | 'SCHOOL_DISABLE' | 'REJECT_STRANGER' | 'DEVICE';

const NOTICES = {
  AlarmClockChangeNoticeMessage: 'ALARM_CLOCK',
  SchoolDisableChangeNoticeMessage: 'SCHOOL_DISABLE',
  RejectStrangerChangeNoticeMessage: 'REJECT_STRANGER',
  DeviceSettingsChangeNoticeMessage: 'DEVICE',
} as const;
type Notice = keyof typeof NOTICES;
const RESOURCES = Object.values(NOTICES);

/** Milliseconds that the watch needs to apply settings, long enough for the parent to see the state PENDING. */
const APPLY_MS = 1_500;
/** Alarms that fit into the memory of the watch; the service allows more. */
const MAX_ALARMS = 10;
const STORED_NOTICES = 'family-watch.watch-notices';

export interface WatchSettings {
  /** Settings that were never changed are absent: the defaults of the watch apply. */
  applied: AppliedSettings;
  /** The settings that the watch is applying. */
  applying: readonly Resource[];
  /** Fetches all settings, for example when the watch was bound or an alarm has rung. */
  pull: () => Promise<void>;
}

/** The last notice of each resource that the watch has received and not answered, by the id of its message. */
type OpenNotices = Partial<Record<Resource, string>>;

/**
 * The settings of the watch. After a notice, the watch fetches the settings, applies them and acknowledges their
 * version, or rejects it with a reason. It stores the notice first, because it does not receive it again after a restart,
 * and does not let other messages wait meanwhile.
 */
export function useWatchSettings(watch: EnrolledWatch | undefined): WatchSettings {
  const [applied, setApplied] = useState<AppliedSettings>({});
  const [applying, setApplying] = useState<readonly Resource[]>([]);
  useEffect(() => {
    if (!watch) return;
    const { client, gateway } = watch;
    let notices = JSON.parse(localStorage.getItem(STORED_NOTICES) ?? '{}') as OpenNotices;
    const timers = new Map<Resource, ReturnType<typeof setTimeout>>();
    const update = (resource: Resource, messageId: string | undefined) => {
      // Values that are undefined are not stored.
      notices = { ...notices, [resource]: messageId };
      localStorage.setItem(STORED_NOTICES, JSON.stringify(notices));
      setApplying(RESOURCES.filter((each) => notices[each] !== undefined));
    };
    const apply = async (resource: Resource): Promise<void> => {
      const messageId = notices[resource];
      timers.delete(resource);
      if (messageId === undefined) return;
      const settings = await client.watch.pullSettings({ resources: resource });
      const version = settings[resource]?.version;
      const isTooMuch = (settings.ALARM_CLOCK?.items.length ?? 0) > MAX_ALARMS;
      if (!isTooMuch) setApplied((before) => ({ ...before, ...settings }));
      const outcome = isTooMuch
        ? ({ status: 'REJECTED', reason: 'MEMORY_FULL' } as const)
        : ({ status: 'APPLIED' } as const);
      if (version !== undefined) await gateway.send('AckMessage', { messageId, version, ...outcome });
      // A later notice has its own turn.
      if (notices[resource] === messageId) update(resource, undefined);
    };
    const schedule = (resource: Resource) => {
      if (timers.has(resource)) return;
      const run = async () => {
        const messageId = notices[resource];
        try {
          await apply(resource);
        } catch (error) {
          // Without a connection, the stored notice is handled after the next `hello`. A rejected one is obsolete, for
          // example because the watch was unbound.
          if (error instanceof ApiError && notices[resource] === messageId) update(resource, undefined);
        }
      };
      timers.set(
        resource,
        setTimeout(() => void run(), APPLY_MS),
      );
    };
    const cleanups = [
      gateway.on('connected', () => RESOURCES.filter((each) => notices[each] !== undefined).forEach(schedule)),
      ...(Object.keys(NOTICES) as Notice[]).map((kind) =>
        gateway.onMessage(kind, ({ id }) => {
          update(NOTICES[kind], id);
          schedule(NOTICES[kind]);
        }),
      ),
    ];
    return () => {
      for (const cleanup of cleanups) cleanup();
      for (const timer of timers.values()) clearTimeout(timer);
    };
  }, [watch]);
  const pull = useCallback(async () => {
    if (watch) setApplied(await watch.client.watch.pullSettings());
  }, [watch]);
  return { applied, applying, pull };
}
