import { Alert, Button, Center, Loader, Paper, Stack, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useErrorText } from '../app/errors/error-texts.js';
import { useTexts } from '../app/texts.js';
import { BindCodeFace } from './bind-code-face.js';
import { BoundFace } from './bound-face.js';
import { CallFace } from './call-face.js';
import { texts } from './texts.js';
import type { WatchSensors } from './watch-sensors.js';
import { INITIAL_SENSORS } from './watch-sensors.js';
import { enrolBrowserWatch } from './watch-identity.js';
import type { EnrolledWatch } from './watch-identity.js';

/** Pixels of the watch's display. */
const FACE = { width: 280, minHeight: 320 };

/** A simulated watch: a client of the service like every other watch, with its own key. */
export function WatchPage() {
  const t = useTexts(texts);
  const [sensors, setSensors] = useState<WatchSensors>(INITIAL_SENSORS);
  const { watch, child, isConnected, error, restart } = useBrowserWatch(sensors);
  const errorText = useErrorText();
  return (
    <Center component="main" mih="100dvh" p="md">
      <Paper withBorder radius={48} p="lg" style={FACE}>
        <Stack align="stretch">
          <Title order={1} size="h4" ta="center">
            {t('title')}
          </Title>
          {error !== undefined ? (
            <Alert color="orange" role="alert" title={t('failed')}>
              {errorText(error)}
              <Button mt="sm" fullWidth onClick={restart}>
                {t('retry')}
              </Button>
            </Alert>
          ) : !watch || child === undefined ? (
            <Center mih={200}>
              <Loader aria-label={t('enrolling')} />
            </Center>
          ) : child === null ? (
            <BindCodeFace watch={watch} />
          ) : (
            <CallFace watch={watch}>
              <BoundFace
                watch={watch}
                child={child}
                isConnected={isConnected}
                sensors={sensors}
                onSensors={setSensors}
              />
            </CallFace>
          )}
        </Stack>
      </Paper>
    </Center>
  );
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
      const enrolled = await enrolBrowserWatch(() => current.current);
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
      setWatch(enrolled);
      gateway.start();
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
