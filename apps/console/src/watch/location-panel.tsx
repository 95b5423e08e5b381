import {
  Alert,
  Box,
  Button,
  FileButton,
  Group,
  NativeSelect,
  Paper,
  Progress,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { TbRoute } from 'react-icons/tb';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState, type Dispatch, type DragEvent, type SetStateAction } from 'react';
import { useTranslation } from 'react-i18next';
import { TrackMarker } from '../features/locations/track-marker.js';
import { circleAround } from '../features/locations/map/geometry.js';
import { MapView } from '../features/locations/map/map-view.js';
import { ErrorAlert } from '../ui/error-alert.js';
import { parseGpx } from './gpx.js';
import { SPEEDS, useGpxWalk, type Speed } from './use-gpx-walk.js';
import type { EnrolledWatch } from './watch-identity.js';
import { locationOf, type WatchSensors } from './watch-sensors.js';

/** Interval between two reports of a watch that moves. */
const REPORT_MS = 5_000;
const VIEW_METRES = 300;
/** How long the watch shows that the family asks for its location. */
const ASKED_MS = 30_000;

interface LocationPanelProps {
  watch: EnrolledWatch;
  /** The watch is bound and on; otherwise it neither moves nor reports. */
  isActive: boolean;
  sensors: WatchSensors;
  onSensors: Dispatch<SetStateAction<WatchSensors>>;
}

/** What moves the simulated watch: a GPX file. Also answers location requests. */
export function LocationPanel({ watch, isActive, sensors, onSensors }: LocationPanelProps) {
  const { t } = useTranslation('watchLocation');
  const walk = useGpxWalk(isActive, onSensors);
  const { report, isAsked } = useLocationReports(watch, isActive, walk.isWalking, sensors);
  const [hasNoPoints, setNoPoints] = useState(false);
  const open = async (file: File | null | undefined) => {
    if (!file) return;
    const positions = parseGpx(await file.text());
    setNoPoints(positions.length === 0);
    if (positions.length > 0) walk.load(positions);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    void open(event.dataTransfer.files[0]);
  };
  const { latitude, longitude } = sensors;
  return (
    <Paper withBorder p="md" w="100%" maw={420} component="section" aria-label={t('title')}>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {t('title')}
        </Title>
        <Text size="sm">{t('position', { latitude: latitude.toFixed(5), longitude: longitude.toFixed(5) })}</Text>
        {isAsked && (
          <Alert color="teal" variant="light" role="status">
            {t('asked')}
          </Alert>
        )}
        <Box
          p="sm"
          onDragOver={(event) => event.preventDefault()}
          onDrop={drop}
          style={{ border: '2px dashed var(--mantine-color-default-border)', borderRadius: 8 }}
        >
          <Stack gap="xs">
            <Text size="sm">{t('drop')}</Text>
            <FileButton accept=".gpx,application/gpx+xml" onChange={(file) => void open(file)}>
              {(props) => (
                <Button {...props} variant="light" leftSection={<TbRoute aria-hidden />}>
                  {t('choose')}
                </Button>
              )}
            </FileButton>
          </Stack>
        </Box>
        {hasNoPoints && (
          <Alert color="orange" variant="light" role="alert">
            {t('noPoints')}
          </Alert>
        )}
        {walk.route && <Walk walk={walk} sensors={sensors} isActive={isActive} />}
        <ReportState report={report} />
      </Stack>
    </Paper>
  );
}

function Walk({
  walk,
  sensors: { latitude, longitude },
  isActive,
}: {
  walk: ReturnType<typeof useGpxWalk>;
  sensors: WatchSensors;
  isActive: boolean;
}) {
  const { t } = useTranslation('watchLocation');
  const { route, metres, speed, setSpeed, isWalking, isAtEnd, start, pause } = walk;
  const lines = useMemo(
    () => (route ? [{ id: 'route', positions: route.positions, color: 'teal' as const }] : []),
    [route],
  );
  if (!route) return null;
  const progress = t('progress', { done: Math.round(metres), all: Math.round(route.length) });
  return (
    <>
      <Text size="sm">{t('route', { kilometres: (route.length / 1_000).toFixed(1) })}</Text>
      <NativeSelect
        label={t('speed')}
        data={SPEEDS.map((value) => ({ value, label: t(`speed${value}`) }))}
        value={speed}
        onChange={({ currentTarget }) => setSpeed(currentTarget.value as Speed)}
      />
      <Group>
        <Button disabled={!isActive} onClick={isWalking ? pause : start}>
          {t(isWalking ? 'pause' : isAtEnd ? 'again' : 'start')}
        </Button>
        <Text size="sm">{progress}</Text>
      </Group>
      <Progress value={route.length === 0 ? 100 : (metres / route.length) * 100} aria-label={progress} />
      <MapView
        label={t('map')}
        height={220}
        markers={[{ id: 'watch', label: t('title'), position: [longitude, latitude], content: <TrackMarker /> }]}
        lines={lines}
        view={route.length > 0 ? route.positions : circleAround([longitude, latitude], VIEW_METRES)}
        viewKey={String(route.length)}
      />
    </>
  );
}

/** Reports the location while the watch moves, and when the family asks for it. */
function useLocationReports(
  { client, gateway }: EnrolledWatch,
  isActive: boolean,
  isMoving: boolean,
  sensors: WatchSensors,
) {
  const current = useRef(sensors);
  current.current = sensors;
  const report = useMutation({
    mutationFn: async () => {
      const { battery, stepTotal } = current.current;
      const [{ results }] = await Promise.all([
        client.watch.reportLocation({ points: [locationOf(current.current)] }),
        gateway.send('HeartbeatMessage', { battery, stepTotal }),
      ]);
      return results[0];
    },
  });
  const { mutate, mutateAsync } = report;
  useEffect(() => {
    if (!isMoving) return;
    const timer = setInterval(() => mutate(), REPORT_MS);
    return () => clearInterval(timer);
  }, [isMoving, mutate]);

  const [isAsked, setAsked] = useState(false);
  useEffect(() => {
    if (!isAsked) return;
    const timer = setTimeout(() => setAsked(false), ASKED_MS);
    return () => clearTimeout(timer);
  }, [isAsked]);
  useEffect(() => {
    if (!isActive) return;
    return gateway.onMessage('AskLocationPointNoticeMessage', async () => {
      // The child sees who follows it: the service requires that the watch shows the request.
      setAsked(true);
      // A report that fails is repeated with the next request.
      await mutateAsync().catch(() => undefined);
    });
  }, [gateway, isActive, mutateAsync]);
  return { report, isAsked };
}

function ReportState({ report }: { report: ReturnType<typeof useLocationReports>['report'] }) {
  const { t } = useTranslation('watchLocation');
  const { data, error } = report;
  return (
    <>
      <Text size="sm" c="dimmed" role="status">
        {data?.accepted && data.flags.length === 0 && t('reported')}
        {data?.accepted && data.flags.length > 0 && t('implausible', { flags: data.flags.join(', ') })}
        {data && !data.accepted && t('rejected', { reason: data.reason ?? '' })}
      </Text>
      <ErrorAlert error={error} />
    </>
  );
}
