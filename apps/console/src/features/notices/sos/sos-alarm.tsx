import { Alert, Button, Group, Modal, Stack, Text, Title } from '@mantine/core';
import { TbPhone, TbVolume, TbVolumeOff, TbWifiOff } from 'react-icons/tb';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { useLanguage } from '../../../core/texts.js';
import { formatTime } from '../../../ui/format.js';
import { ConfirmButton } from '../../../ui/confirm-button.js';
import { ErrorAlert } from '../../../ui/error-alert.js';
import { RelativeTime } from '../../../ui/relative-time.js';
import { useSiren } from '../../../ui/use-siren.js';
import { childDetailQuery } from '../../families/queries.js';
import { phoneUrlOf } from './phone-url.js';
import { SosLocation } from './sos-location.js';
import type { OpenSos } from './use-open-sos.js';
import { usePersonName } from './use-person-name.js';
import { useSosActions } from './use-sos-actions.js';

/** Above everything else on the page, notifications included. */
const Z_INDEX = 1_000;

interface SosAlarmProps extends OpenSos {
  /** Children with another unacknowledged SOS, which is shown after this one. */
  otherNames: readonly string[];
  isConnected: boolean;
}

/** An SOS that nobody has acknowledged: takes over the page, with sound, and cannot be closed. */
export function SosAlarm({ child, sos, otherNames, isConnected }: SosAlarmProps) {
  const { t } = useTranslation('sos');
  const session = useSession();
  const [language] = useLanguage();
  const [isSoundOn, setSoundOn] = useState(true);
  const { acknowledge, acknowledgement, resolve } = useSosActions(child.cid, sos.sosId);
  const isWaiting = acknowledgement?.state === 'WAITING';
  // The person has reacted, although the service does not know it yet.
  const siren = useSiren(isSoundOn && !isWaiting);
  const { data: detail } = useQuery(childDetailQuery(session, child.cid));
  const phoneUrl = detail && phoneUrlOf(detail);
  const { name } = child;
  const title = t('title', { name });
  return (
    <Modal.Root
      opened
      fullScreen
      onClose={() => undefined}
      closeOnEscape={false}
      closeOnClickOutside={false}
      zIndex={Z_INDEX}
      transitionProps={{ duration: 0 }}
    >
      <Modal.Content aria-label={title}>
        <Modal.Body p={0}>
          <Stack mih="100dvh" gap={0}>
            {/* Not the button: somebody who is typing when the alarm appears must not acknowledge it unseen. */}
            <Stack bg="red.8" c="white" p="lg" gap={4} align="center" role="alert" tabIndex={-1} data-autofocus>
              <Title order={1} ta="center">
                {title}
              </Title>
              <Text size="lg" ta="center">
                {t('asksForHelp', { name })}
              </Text>
              <Text>
                {t('since', { time: formatTime(sos.raisedAt, language) })} · <RelativeTime time={sos.raisedAt} />
              </Text>
              {sos.lastRaisedAt > sos.raisedAt && (
                <Text fw={600}>
                  {t('again')} <RelativeTime time={sos.lastRaisedAt} />
                </Text>
              )}
              {otherNames.length > 0 && <Text fw={600}>{t('others', { names: otherNames.join(', ') })}</Text>}
              {!isConnected && <Text fw={600}>{t('disconnected')}</Text>}
            </Stack>
            <Stack p="md" w="100%" maw={560} mx="auto">
              <SosLocation child={child} sos={sos} />
              <Button
                size="xl"
                color="red"
                loading={acknowledgement?.state === 'SENDING'}
                disabled={isWaiting}
                onClick={acknowledge}
              >
                {t('acknowledge')}
              </Button>
              <Text size="sm" c="dimmed" ta="center">
                {t('acknowledgeHint')}
              </Text>
              {isWaiting && (
                <Alert color="orange" variant="light" icon={<TbWifiOff />} role="alert">
                  {t('acknowledgeWaits', { name })}
                </Alert>
              )}
              {acknowledgement?.state === 'REJECTED' && <ErrorAlert error={acknowledgement.error} />}
              {phoneUrl !== undefined && (
                <Button component="a" href={phoneUrl} variant="light" size="lg" leftSection={<TbPhone aria-hidden />}>
                  {t('call', { name })}
                </Button>
              )}
              <ConfirmButton
                variant="default"
                color="teal"
                label={t('resolve', { name })}
                title={t('resolveQuestion', { name })}
                confirm={t('resolveConfirm')}
                action={resolve}
                zIndex={Z_INDEX + 1}
              />
              {siren.isBlocked ? (
                <Alert color="orange" role="status" icon={<TbVolumeOff aria-hidden />}>
                  <Group justify="space-between">
                    {t('soundBlocked')}
                    <Button variant="light" onClick={siren.unblock}>
                      {t('soundOn')}
                    </Button>
                  </Group>
                </Alert>
              ) : (
                <Button
                  variant="subtle"
                  leftSection={isSoundOn ? <TbVolumeOff aria-hidden /> : <TbVolume aria-hidden />}
                  onClick={() => setSoundOn(!isSoundOn)}
                >
                  {t(isSoundOn ? 'soundOff' : 'soundOn')}
                </Button>
              )}
              <NotifiedContacts sos={sos} />
            </Stack>
          </Stack>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** Who has been notified, and when the next contact is. */
export function NotifiedContacts({ sos: { did, steps, nextStepAt } }: Pick<OpenSos, 'sos'>) {
  const { t } = useTranslation('sos');
  const [language] = useLanguage();
  const { ofContact } = usePersonName(did);
  // A step takes 30 seconds.
  const format = (time: number) => new Date(time).toLocaleTimeString(language, { timeStyle: 'medium' });
  return (
    <Stack gap={4}>
      <Title order={2} size="h4">
        {t('notified')}
      </Title>
      {steps.map(({ step, at, channel, refId }) => {
        const key = channel === 'SMS' ? 'notifiedSms' : refId === null ? 'notifiedApp' : 'notifiedAppPerson';
        return (
          <Text key={`${step} ${channel} ${refId}`} size="sm">
            {t(key, { time: format(at), person: ofContact(refId) })}
          </Text>
        );
      })}
      {nextStepAt !== null && (
        <Text size="sm" c="dimmed">
          {t('nextStep', { time: format(nextStepAt) })}
        </Text>
      )}
    </Stack>
  );
}
