import { ActionIcon, Button, Group, Paper, Progress, ScrollArea, Stack, Text } from '@mantine/core';
import { TbX } from 'react-icons/tb';
import { useErrorText } from '../../app/errors/error-texts.js';
import { useTexts } from '../../app/texts.js';
import { texts } from './texts.js';
import { useUploads } from './upload-queue.js';
import { totalProgress } from './upload-state.js';
import type { QueuedUpload } from './upload-state.js';

/** The files that are being uploaded, with the progress of each and of all. */
export function UploadList() {
  const t = useTexts(texts);
  const { queue, uploads } = useUploads();
  if (uploads.length === 0) return null;
  const done = uploads.filter(({ state }) => state === 'DONE').length;
  const open = uploads.filter(({ state }) => state !== 'DONE');
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
  upload: { file, state, progress, error },
  onRetry,
  onCancel,
}: {
  upload: QueuedUpload;
  onRetry: () => void;
  onCancel: () => void;
}) {
  const t = useTexts(texts);
  const errorText = useErrorText();
  return (
    <Group wrap="nowrap" gap="xs">
      <Stack gap={2} flex={1} miw={0}>
        <Text size="sm" truncate>
          {file.name}
        </Text>
        {state === 'FAILED' ? (
          <Text size="xs" role="alert">
            {errorText(error)}
          </Text>
        ) : (
          <Progress size="sm" value={progress * 100} aria-label={file.name} />
        )}
      </Stack>
      {state === 'WAITING' && (
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
