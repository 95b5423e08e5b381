import type { Schema } from '@family-watch/client';
import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { TbBell, TbRefresh } from 'react-icons/tb';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { ConfirmButton } from '../../../ui/confirm-button.js';
import { ErrorAlert } from '../../../ui/error-alert.js';
import { QueryView } from '../../../ui/query-view.js';
import { RelativeTime } from '../../../ui/relative-time.js';
import { useStepUp } from '../../accounts/step-up.js';
import { commandsQuery } from './queries.js';
import { SettingsPage } from './settings-page.js';
import { useRing } from './use-ring.js';
import { useWatch } from './use-watch.js';

export function RemoteControlPage() {
  const { t } = useTranslation('watchSettings');
  const session = useSession();
  const { did } = useWatch();
  const query = useQuery(commandsQuery(session, did));
  const { find, reboot, shutDown } = useCommands();
  return (
    <SettingsPage title={t('remote')}>
      <Button leftSection={<TbBell aria-hidden />} loading={find.isPending} onClick={() => find.mutate()}>
        {t('find')}
      </Button>
      <ErrorAlert error={find.error} />
      <Group grow>
        <ConfirmButton
          variant="light"
          color="teal"
          leftSection={<TbRefresh aria-hidden />}
          label={t('reboot')}
          title={t('rebootQuestion')}
          action={reboot}
        />
        <ConfirmButton
          variant="light"
          label={t('shutDown')}
          title={t('shutDownQuestion')}
          question={t('shutDownWarning')}
          action={shutDown}
        />
      </Group>
      <Title order={2} size="h3">
        {t('commands')}
      </Title>
      <QueryView query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Text c="dimmed">{t('noCommands')}</Text>
          ) : (
            <Stack gap="xs" role="log" aria-label={t('commands')}>
              {items.map((command) => (
                <CommandCard key={command.commandId} command={command} />
              ))}
            </Stack>
          )
        }
      </QueryView>
    </SettingsPage>
  );
}

function useCommands() {
  const { client } = useSession();
  const { did } = useWatch();
  const queries = useQueryClient();
  const withStepUp = useStepUp();
  // One key per command: a repetition after a lost response is the same command, the next click is another one.
  const [rebootKey, setRebootKey] = useState(() => crypto.randomUUID());
  const onSettled = () => queries.invalidateQueries({ queryKey: ['remote-control', did] });
  const find = useRing(did);
  const reboot = useMutation({
    mutationFn: () => client.remoteControl.reboot({ did }, { idempotencyKey: rebootKey }),
    onSuccess: () => setRebootKey(crypto.randomUUID()),
    onSettled,
  });
  const shutDown = useMutation({
    mutationFn: () => withStepUp((stepUp) => client.remoteControl.shutDown({ did, stepUp })),
    onSettled,
  });
  return { find, reboot, shutDown };
}

function CommandCard({ command: { commandId, command, state, changedAt, reason } }: { command: Schema<'CommandDto'> }) {
  const { t } = useTranslation('watchSettings');
  const { client } = useSession();
  const { did } = useWatch();
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => client.remoteControl.cancel({ did, commandId }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['remote-control', did] }),
  });
  return (
    <Card withBorder>
      <Group justify="space-between">
        <Stack gap={0}>
          <Text fw={600}>{t(`command${command}`)}</Text>
          <Text size="sm">
            {t(state === 'REJECTED' ? 'commandREJECTED' : state)} · <RelativeTime time={changedAt} />
          </Text>
          {reason !== null && <Text size="sm">{t('reason', { reason })}</Text>}
        </Stack>
        {(state === 'QUEUED' || state === 'SENT') && (
          <Button
            variant="subtle"
            aria-label={t('cancelCommand')}
            loading={cancel.isPending}
            onClick={() => cancel.mutate()}
          >
            {t('cancel')}
          </Button>
        )}
      </Group>
      <ErrorAlert error={cancel.error} />
    </Card>
  );
}
