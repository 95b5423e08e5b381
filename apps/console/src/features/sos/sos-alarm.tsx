import { Alert, Button, Group, Modal, Stack, Text, Title } from '@mantine/core';
import { TbPhone, TbVolume, TbVolumeOff } from 'react-icons/tb';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useSession } from '../../app/session/use-session.js';
import { useLanguage, useTexts } from '../../app/texts.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { ErrorAlert } from '../../ui/error-alert.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { childDetailQuery } from './queries.js';
import { phoneUrlOf } from './phone-url.js';
import { SosLocation } from './sos-location.js';
import { texts } from './texts.js';
import type { OpenSos } from './use-open-sos.js';
import { usePersonName } from './use-person-name.js';
import { useSiren } from '../../ui/use-siren.js';
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
  const t = useTexts(texts);
  const session = useSession();
  const [language] = useLanguage();
  const [isSoundOn, setSoundOn] = useState(true);
  const siren = useSiren(isSoundOn);
  const { data: detail } = useQuery(childDetailQuery(session, child.cid));
  const phoneUrl = detail && phoneUrlOf(detail);
  const { acknowledge, resolve } = useSosActions(child.cid, sos.sosId);
  const { name } = child;
  const title = t('title', { name });
  usePageTitle(title);
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
                {t('since', { time: new Date(sos.raisedAt).toLocaleTimeString(language) })} ·{' '}
                <RelativeTime time={sos.raisedAt} />
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
              <Button size="xl" color="red" loading={acknowledge.isPending} onClick={() => acknowledge.mutate()}>
                {t('acknowledge')}
              </Button>
              <Text size="sm" c="dimmed" ta="center">
                {t('acknowledgeHint')}
              </Text>
              <ErrorAlert error={acknowledge.error} />
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
function NotifiedContacts({ sos: { did, steps, nextStepAt } }: Pick<OpenSos, 'sos'>) {
  const t = useTexts(texts);
  const [language] = useLanguage();
  const { ofContact } = usePersonName(did);
  const format = (time: number) => new Date(time).toLocaleTimeString(language);
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

/** Shows the alarm in the tab of a browser whose page is hidden. */
function usePageTitle(title: string): void {
  useEffect(() => {
    const before = document.title;
    document.title = title;
    return () => void (document.title = before);
  }, [title]);
}
