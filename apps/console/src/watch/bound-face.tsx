import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { TbSchool } from 'react-icons/tb';
import type { Schema } from '@family-watch/client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useLanguage, useTexts } from '../app/texts.js';
import { ErrorAlert } from '../ui/error-alert.js';
import { FriendCode } from './friend-code.js';
import { Messages } from './messages.js';
import { findSchoolTime } from './school-time.js';
import { texts } from './texts.js';
import type { WatchSettings } from './use-watch-settings.js';
import type { EnrolledWatch } from './watch-identity.js';
import { locationOf, walk } from './watch-sensors.js';
import type { WatchSensors } from './watch-sensors.js';

interface BoundFaceProps {
  watch: EnrolledWatch;
  child: Pick<Schema<'WatchChildDto'>, 'cid' | 'name' | 'timeZone'>;
  settings: WatchSettings;
  /** Unix milliseconds. */
  now: number;
  isConnected: boolean;
  sensors: WatchSensors;
  onSensors: (sensors: WatchSensors) => void;
}

/** The display of a bound watch: the last messages, an answer, a walk and SOS. */
export function BoundFace({ watch, child, settings, now, isConnected, sensors, onSensors }: BoundFaceProps) {
  const t = useTexts(texts);
  const { client } = watch;
  const reportWalk = useMutation({
    mutationFn: async () => {
      const next = walk(sensors);
      onSensors(next);
      // The gateway passes the steps of heartbeats on once a minute. The location comes last: parents hear of it.
      await client.watch.reportSteps({ stepTotal: next.stepTotal });
      await client.watch.reportLocation({ points: [locationOf(next)] });
    },
  });
  const raiseSos = useMutation({
    mutationFn: () => client.watch.raiseSos({ time: Date.now(), location: locationOf(sensors) }),
  });
  const [leftId, setLeftId] = useState<string>();
  const leaveSchool = useMutation({
    mutationFn: (schoolTimeId: string) =>
      client.watch.reportEarlyExits({ exits: [{ time: Date.now(), schoolTimeId }] }),
    onSuccess: (_, schoolTimeId) => setLeftId(schoolTimeId),
  });
  const [language] = useLanguage();
  const { applied, applying } = settings;
  const { timeZone } = child;
  const schoolTime = applied.SCHOOL_DISABLE && findSchoolTime(applied.SCHOOL_DISABLE, timeZone, now);
  const isInSchool = schoolTime !== undefined && schoolTime.schoolTimeId !== leftId;
  const isLost = applied.DEVICE?.lost === true;
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text fw={600}>{t('child', { name: child.name })}</Text>
        {isConnected ? (
          <Text>{new Date(now).toLocaleTimeString(language, { timeStyle: 'short', timeZone })}</Text>
        ) : (
          <Badge color="gray">{t('offline')}</Badge>
        )}
      </Group>
      <Text size="xs" c="dimmed" role="status" mih={18}>
        {applying.length > 0 && t('applying')}
      </Text>
      {isLost ? (
        <Alert color="orange" title={t('lost')}>
          {applied.DEVICE?.lostMessage}
        </Alert>
      ) : isInSchool ? (
        <Alert color="gray" icon={<TbSchool aria-hidden />} title={t('school')}>
          {t('schoolUntil', { time: schoolTime.end })}
          <Button
            variant="subtle"
            display="block"
            px={0}
            loading={leaveSchool.isPending}
            onClick={() => leaveSchool.mutate(schoolTime.schoolTimeId)}
          >
            {t('leaveSchool')}
          </Button>
        </Alert>
      ) : (
        <Messages watch={watch} cid={child.cid} />
      )}
      <Group grow>
        <Button variant="light" loading={reportWalk.isPending} onClick={() => reportWalk.mutate()}>
          {t('walk')}
        </Button>
        <Button color="red" loading={raiseSos.isPending} onClick={() => raiseSos.mutate()}>
          {t('sos')}
        </Button>
      </Group>
      {!isLost && !isInSchool && <FriendCode watch={watch} />}
      <Text size="xs" c="dimmed" role="status">
        {t('steps', { count: sensors.stepTotal })}
        {reportWalk.isSuccess && ` · ${t('place')}`}
        {raiseSos.isSuccess && ` · ${t('sosSent')}`}
      </Text>
      <ErrorAlert error={reportWalk.error ?? raiseSos.error ?? leaveSchool.error} />
    </Stack>
  );
}
