import { ActionIcon, Button, Group, Paper, Progress, ScrollArea, Stack, Text } from '@mantine/core';
import { NetworkError } from '@family-watch/client';
import { useNetwork } from '@mantine/hooks';
import { TbX } from 'react-icons/tb';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '../../../core/errors/error-texts.js';
import { useUploads } from './upload-queue.js';
import { isFinished, totalProgress, type QueuedUpload } from './upload-state.js';

/** The files that are being uploaded, with the progress of each and of all. */
export function UploadList() {
  const { t } = useTranslation('album');
  const { queue, uploads } = useUploads();
  if (uploads.length === 0) return null;
  const open = uploads.filter((upload) => !isFinished(upload));
  const done = uploads.length - open.length;
  const known = uploads.filter(({ state }) => state === 'KNOWN').length;
  return (
    <Paper withBorder p="sm" component="section" aria-label={t('uploads')}>
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap">
          <Text role="status" fw={600}>
            {t('uploadProgress', { done, total: uploads.length })}
          </Text>
          {done > 0 && (
            <Button size="sm" h={44} variant="subtle" onClick={() => queue.clear()}>
              {t('hideUploads')}
            </Button>
          )}
        </Group>
        {known > 0 && (
          <Text size="sm" role="status">
            {t('known', { count: known })}
          </Text>
        )}
        <Progress value={totalProgress(uploads) * 100} aria-label={t('uploads')} />
        <ScrollArea.Autosize mah={220}>
          {open.map((upload) => (
            <UploadRow
              key={upload.id}
              upload={upload}
              onRetry={() => queue.retry(upload.id)}
              onCancel={() => queue.cancel(upload.id)}
            />
          ))}
        </ScrollArea.Autosize>
        {open.some(({ state }) => state === 'FAILED') && (
          <Text size="xs" c="dimmed">
            {t('resumeHint')}
          </Text>
        )}
      </Stack>
    </Paper>
  );
}

function UploadRow({
  upload: { file, state, progress, error, isNotKept },
  onRetry,
  onCancel,
}: {
  upload: QueuedUpload;
  onRetry: () => void;
  onCancel: () => void;
}) {
  const { t } = useTranslation('album');
  const errorText = useErrorText();
  const { online } = useNetwork();
  // The upload continues by itself when the connection is back.
  const isWaiting = state === 'FAILED' ? error instanceof NetworkError : !online;
  return (
    <Group wrap="nowrap" gap="xs">
      <Stack gap={2} flex={1} miw={0}>
        <Text size="sm" truncate>
          {file.name}
        </Text>
        {state === 'FAILED' && !isWaiting ? (
          <Text size="xs" role="alert">
            {errorText(error)}
          </Text>
        ) : (
          <Progress size="sm" value={progress * 100} aria-label={file.name} />
        )}
        {isWaiting && <Text size="xs">{t('waitingForNetwork')}</Text>}
        {isNotKept && (
          <Text size="xs" role="alert">
            {t('notKept')}
          </Text>
        )}
      </Stack>
      {state === 'WAITING' && !isWaiting && (
        <Text size="xs" c="dimmed">
          {t('waiting')}
        </Text>
      )}
      {state === 'FAILED' && (
        <Button size="sm" h={44} variant="subtle" onClick={onRetry}>
          {t('retry')}
        </Button>
      )}
      <ActionIcon color="gray" aria-label={t('cancelUpload', { name: file.name })} onClick={onCancel}>
        <TbX aria-hidden />
      </ActionIcon>
    </Group>
  );
}
