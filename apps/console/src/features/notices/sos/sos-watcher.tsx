import { Alert, Button, Group, Text } from '@mantine/core';
import { TbUrgent } from 'react-icons/tb';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../../ui/confirm-button.js';
import { RelativeTime } from '../../../ui/relative-time.js';
import { SosAlarm } from './sos-alarm.js';
import { useOpenSos, type OpenSos } from './use-open-sos.js';
import { usePersonName } from './use-person-name.js';
import { useAcknowledgements, useSosActions } from './use-sos-actions.js';

/**
 * Shows every open SOS on every page: the whole page until somebody has acknowledged it, then a line until it is
 * resolved.
 */
export function SosWatcher({ isConnected }: { isConnected: boolean }) {
  const { t } = useTranslation('sos');
  const { open, isUnknown } = useOpenSos(isConnected);
  // Sends those of an earlier page also while no SOS is shown.
  useAcknowledgements();
  const [alarm, ...others] = open.filter(({ sos }) => sos.state !== 'ACKNOWLEDGED');
  return (
    <>
      {isUnknown && (
        <Alert color="orange" mb="md" role="status">
          {t('notLoaded')}
        </Alert>
      )}
      {open.map((each) => each.sos.state === 'ACKNOWLEDGED' && <AcknowledgedSos key={each.sos.sosId} {...each} />)}
      {alarm && (
        <SosAlarm
          key={alarm.sos.sosId}
          {...alarm}
          otherNames={others.map(({ child }) => child.name)}
          isConnected={isConnected}
        />
      )}
    </>
  );
}

function AcknowledgedSos({ child: { cid, name }, sos }: OpenSos) {
  const { t } = useTranslation('sos');
  const { ofPrincipal } = usePersonName(sos.did);
  const { resolve } = useSosActions(cid, sos.sosId);
  return (
    <Alert color="red" mb="md" role="status" icon={<TbUrgent aria-hidden />} title={t('title', { name })}>
      <Group justify="space-between">
        <Text size="sm">
          {t('acknowledgedBy', { person: ofPrincipal(sos.acknowledgedBy) })}{' '}
          <RelativeTime time={sos.acknowledgedAt ?? sos.raisedAt} />
        </Text>
        <Group gap="xs">
          <Button renderRoot={(props) => <Link {...props} to="/children" />} variant="subtle">
            {t('goToChild', { name })}
          </Button>
          <ConfirmButton
            variant="filled"
            label={t('resolve', { name })}
            title={t('resolveQuestion', { name })}
            confirm={t('resolveConfirm')}
            action={resolve}
          />
        </Group>
      </Group>
    </Alert>
  );
}
