import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { TbSchool } from 'react-icons/tb';
import type { Schema } from '@family-watch/client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLanguage } from '../core/texts.js';
import { ErrorAlert } from '../ui/error-alert.js';
import { FriendCode } from './friend-code.js';
import { Messages } from './messages.js';
import { findSchoolTime } from './school-time.js';
import { useSos } from './use-sos.js';
import type { useWalk } from './use-walk.js';
import type { WatchSettings } from './use-watch-settings.js';
import type { EnrolledWatch } from './watch-identity.js';
import type { WatchSensors } from './watch-sensors.js';

interface BoundFaceProps {
  watch: EnrolledWatch;
  child: Pick<Schema<'WatchChildDto'>, 'cid' | 'name' | 'timeZone'>;
  settings: WatchSettings;
  /** Unix milliseconds. */
  now: number;
  isConnected: boolean;
  sensors: WatchSensors;
  walk: ReturnType<typeof useWalk>;
}

/** The display of a bound watch: the last messages, an answer, a walk and SOS. */
export function BoundFace({ watch, child, settings, now, isConnected, sensors, walk }: BoundFaceProps) {
  const { t } = useTranslation('watch');
  const { client } = watch;
  const sos = useSos(watch, sensors);
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
        <Button variant="light" onClick={walk.toggle}>
          {t(walk.isWalking ? 'stopWalking' : 'walk')}
        </Button>
        <Button color="red" loading={sos.raise.isPending} onClick={() => sos.raise.mutate()}>
          {t('sos')}
        </Button>
      </Group>
      {!isLost && !isInSchool && <FriendCode watch={watch} />}
      <Text size="xs" c="dimmed" role="status">
        {t('steps', { count: sensors.stepTotal })}
        {walk.report.isSuccess && ` · ${t('place')}`}
        {sos.isOpen && ` · ${t('sosSent')}`}
      </Text>
      <ErrorAlert error={walk.report.error ?? sos.raise.error ?? leaveSchool.error} />
    </Stack>
  );
}
