import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../core/session/use-session.js';
import { useLanguage } from '../../core/texts.js';
import { useDateFormat } from '../../ui/date-time.js';
import { ErrorAlert } from '../../ui/error-alert.js';
import { formatBytes } from '../../ui/format.js';
import { QueryView } from '../../ui/query-view.js';
import { Section } from '../../ui/section.js';
import { dataExportQuery, isBeingAssembled, type DataExport } from './queries.js';
import { useStepUp } from './step-up.js';

/** Requests an archive of everything that the person may see, and downloads it. */
export function DataExportSection() {
  const { t } = useTranslation('accounts');
  const session = useSession();
  const queries = useQueryClient();
  const withStepUp = useStepUp();
  const last = useQuery(dataExportQuery(session));
  const request = useMutation({
    mutationFn: () => withStepUp((stepUp) => session.client.accounts.createDataExport({ stepUp })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['account', 'export'] }),
  });
  return (
    <Section title={t('export')}>
      <Text>{t('exportHint')}</Text>
      <QueryView query={last}>
        {({ export: current }) => (
          <Stack align="start">
            {current && <ExportState current={current} />}
            {!isBeingAssembled(current) && (
              <Button variant="light" loading={request.isPending} onClick={() => request.mutate()}>
                {t('requestExport')}
              </Button>
            )}
          </Stack>
        )}
      </QueryView>
      <ErrorAlert error={request.error} />
    </Section>
  );
}

function ExportState({ current }: { current: DataExport }) {
  const { t } = useTranslation('accounts');
  const session = useSession();
  const queries = useQueryClient();
  const [language] = useLanguage();
  const formatDate = useDateFormat();
  const { state, failureReason, records, files, size, expiresAt, requestedAt, downloadURL } = current;
  // A URL is valid for five minutes, so that each download gets a new one.
  const download = useMutation({
    mutationFn: () => queries.query({ ...dataExportQuery(session), staleTime: 0 }),
    onSuccess: ({ export: renewed }) => {
      if (renewed?.downloadURL) location.assign(renewed.downloadURL);
    },
  });
  return (
    <Stack gap="xs" align="start" role="status">
      <Group gap="xs">
        {isBeingAssembled(current) && <Loader size="sm" aria-hidden />}
        <Text fw={500}>{t(failureReason === 'TOO_LARGE' ? 'exportTOO_LARGE' : `export${state}`)}</Text>
      </Group>
      <Text size="sm" c="dimmed">
        {t('requestedOn', { date: formatDate(requestedAt) })} · {t('exportProgress', { records, files })}
      </Text>
      {state === 'READY' && size !== null && expiresAt !== null && (
        <Text size="sm" c="dimmed">
          {t('exportSize', { size: formatBytes(size, language), date: formatDate(expiresAt) })}
        </Text>
      )}
      {state === 'READY' &&
        (downloadURL === null ? (
          <Text size="sm">{t('otherDevice')}</Text>
        ) : (
          <Button loading={download.isPending} onClick={() => download.mutate()}>
            {t('download')}
          </Button>
        ))}
      <ErrorAlert error={download.error} />
    </Stack>
  );
}
