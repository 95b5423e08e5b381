import { Alert, Button, Center, Loader, Paper, Stack, Text, Title } from '@mantine/core';
import i18next from 'i18next';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '../core/errors/error-texts.js';
import { BatterySlider } from './battery-slider.js';
import { BindCodeFace } from './bind-code-face.js';
import { BoundFace } from './bound-face.js';
import { CallFace } from './call-face.js';
import { LocationPanel } from './location-panel.js';
import { RingingFace } from './ringing-face.js';
import { StrangerCall } from './stranger-call.js';
import { useNow } from './use-now.js';
import { useRinging } from './use-ringing.js';
import { useWalk } from './use-walk.js';
import { useWatchPower } from './use-watch-power.js';
import { useWatchSettings } from './use-watch-settings.js';
import { INITIAL_SENSORS, type WatchSensors } from './watch-sensors.js';
import { enrolBrowserWatch, type EnrolledWatch } from './watch-identity.js';

/** Pixels of the watch's display. */
const FACE = { width: 280, minHeight: 320 };
/** The darkest display that can be read, per cent. */
const MIN_BRIGHTNESS = 40;

/** A simulated watch: a client of the service like every other watch, with its own key. */
export function WatchPage() {
  const { t } = useTranslation('watch');
  const [sensors, setSensors] = useState<WatchSensors>(INITIAL_SENSORS);
  const { watch, child, isConnected, error, restart } = useBrowserWatch(sensors);
  const settings = useWatchSettings(watch);
  const { power, turnOn, goFlat } = useWatchPower(watch);
  const walk = useWalk(watch, child != null && power === 'on', sensors, setSensors);
  const now = useNow();
  const { ringing, stop } = useRinging(watch, settings, now);
  const errorText = useErrorText();
  useBoundSettings(child?.cid, settings.pull);
  const device = settings.applied.DEVICE;
  useEffect(() => {
    if (device?.language) void i18next.changeLanguage(device.language);
  }, [device?.language]);
  // The handlers of messages are registered before the watch connects, so that no message is missed.
  useEffect(() => watch?.gateway.start(), [watch]);

  const changeBattery = (battery: number) => {
    const changed = { ...sensors, battery };
    setSensors(changed);
    if (battery === 0) void goFlat();
    // The next heartbeat reports the value if the watch is not connected now.
    else watch?.gateway.send('HeartbeatMessage', heartbeatOf(changed)).catch(() => undefined);
  };
  const face = () => {
    if (error !== undefined) {
      return (
        <Alert color="orange" role="alert" title={t('failed')}>
          {errorText(error)}
          <Button mt="sm" fullWidth onClick={restart}>
            {t('retry')}
          </Button>
        </Alert>
      );
    }
    if (power === 'off') {
      return (
        <Center mih={200}>
          <Text>{t('off')}</Text>
        </Center>
      );
    }
    if (!watch || child === undefined || power === 'booting') {
      return (
        <Center mih={200}>
          <Loader aria-label={t('enrolling')} />
        </Center>
      );
    }
    if (child === null) return <BindCodeFace watch={watch} />;
    if (ringing) return <RingingFace ringing={ringing} settings={device} onStop={stop} />;
    return (
      <CallFace watch={watch}>
        <BoundFace
          watch={watch}
          child={child}
          settings={settings}
          now={now}
          isConnected={isConnected}
          sensors={sensors}
          walk={walk}
        />
      </CallFace>
    );
  };
  const brightness = Math.max(device?.brightness ?? 100, MIN_BRIGHTNESS);
  return (
    <Center component="main" mih="100dvh" p="md" style={{ flexWrap: 'wrap', gap: 16 }}>
      <Stack align="center">
        <Paper
          bg={power === 'off' ? 'dark.9' : undefined}
          c={power === 'off' ? 'gray.4' : undefined}
          withBorder
          radius={48}
          p="lg"
          style={{ ...FACE, filter: `brightness(${brightness}%)` }}
        >
          <Stack align="stretch">
            <Title order={1} size="h4" ta="center">
              {t('title')}
            </Title>
            {face()}
          </Stack>
        </Paper>
        {watch && (
          <BatterySlider
            battery={sensors.battery}
            onChange={(battery) => setSensors({ ...sensors, battery })}
            onEnd={changeBattery}
            isOff={power === 'off'}
            onTurnOn={() => void turnOn()}
          />
        )}
        {watch && child && power === 'on' && <StrangerCall watch={watch} applied={settings.applied} />}
      </Stack>
      {watch && child && (
        <LocationPanel watch={watch} isActive={power === 'on'} sensors={sensors} onSensors={setSensors} />
      )}
    </Center>
  );
}

function heartbeatOf({ battery, stepTotal }: WatchSensors) {
  return { battery, stepTotal };
}

/** Fetches the settings of the child when the watch has started or was bound. */
function useBoundSettings(cid: string | undefined, pull: () => Promise<void>): void {
  useEffect(() => {
    // Without a connection, the watch works with its defaults until the next notice.
    if (cid !== undefined) pull().catch(() => undefined);
  }, [cid, pull]);
}

type BoundChild = Awaited<ReturnType<EnrolledWatch['client']['watch']['getChild']>>;

/** Enrols the watch, connects it, and follows its binding. `child` is null while the watch is not bound. */
function useBrowserWatch(sensors: WatchSensors) {
  const [watch, setWatch] = useState<EnrolledWatch>();
  const [child, setChild] = useState<BoundChild | null>();
  const [isConnected, setConnected] = useState(false);
  const [error, setError] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  const current = useRef(sensors);
  current.current = sensors;
  useEffect(() => {
    let isEnded = false;
    let started: EnrolledWatch | undefined;
    const start = async () => {
      const enrolled = await enrolBrowserWatch(() => heartbeatOf(current.current));
      if (isEnded) return;
      started = enrolled;
      const { gateway, client } = enrolled;
      const loadChild = async () => {
        const bound = await client.watch.getChild().catch((failure: unknown) => {
          if (isUnbound(failure)) return null;
          throw failure;
        });
        if (!isEnded) setChild(bound);
      };
      gateway.on('connected', () => setConnected(true));
      gateway.on('disconnected', () => setConnected(false));
      gateway.on('closed', setError);
      gateway.onMessage('DeviceBindStateChangeNoticeMessage', loadChild);
      gateway.onMessage('ContactsChangeNoticeMessage', loadChild);
      await loadChild();
      if (!isEnded) setWatch(enrolled);
    };
    start().catch((failure: unknown) => !isEnded && setError(failure));
    return () => {
      isEnded = true;
      started?.gateway.stop();
    };
  }, [attempt]);
  const restart = () => {
    setError(undefined);
    setAttempt(attempt + 1);
  };
  return { watch, child, isConnected, error, restart };
}

function isUnbound(error: unknown): boolean {
  return error instanceof Error && 'reason' in error && error.reason === 'WATCH_UNBOUND';
}
