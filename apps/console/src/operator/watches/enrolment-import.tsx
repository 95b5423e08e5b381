import { Alert, Button, FileInput, Group, Progress, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorAlert } from '../../ui/error-alert.js';
import type { OperatorSession } from '../session/operator-session.js';
import { useOperator } from '../session/use-operator.js';
import { parseEnrolmentFile, type EnrolmentFile } from './enrolment-csv.js';

/** How many lines of a file had each result. */
interface ImportReport {
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly duplicate: number;
  readonly invalidLines: readonly number[];
}

/** More lines than a person reads. */
const MAX_LINES_SHOWN = 50;

/** Puts the watches of a CSV file on the list, batch by batch, and says which lines are invalid. */
export function EnrolmentImport() {
  const { t } = useTranslation('operatorWatches');
  const session = useOperator();
  const queries = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const [progress, setProgress] = useState<{ done: number; of: number }>();
  const importing = useMutation({
    mutationFn: async (chosen: File) => {
      const parsed = parseEnrolmentFile(await chosen.text());
      return importWatches(session, parsed, (done) => setProgress({ done, of: parsed.count }));
    },
    // A repeated import after an error changes nothing about the watches that are listed already.
    onSettled: () => queries.invalidateQueries({ queryKey: ['enrolment-list'] }),
  });
  return (
    <Stack>
      <Text c="dimmed">{t('importHint')}</Text>
      <FileInput
        label={t('file')}
        placeholder={t('chooseFile')}
        accept=".csv,text/csv,text/plain"
        value={file}
        onChange={(chosen) => {
          setFile(chosen);
          setProgress(undefined);
          importing.reset();
        }}
      />
      <Group>
        <Button disabled={file === null} loading={importing.isPending} onClick={() => file && importing.mutate(file)}>
          {t('importFile')}
        </Button>
      </Group>
      {progress && (
        <div role="status">
          <Progress
            value={progress.of === 0 ? 100 : (100 * progress.done) / progress.of}
            aria-label={t('progress')}
            mb="xs"
          />
          <Text size="sm">{t('importProgress', progress)}</Text>
        </div>
      )}
      <ErrorAlert error={importing.error} />
      {importing.data && <Report report={importing.data} />}
    </Stack>
  );
}

function Report({ report: { added, updated, unchanged, duplicate, invalidLines } }: { report: ImportReport }) {
  const { t } = useTranslation('operatorWatches');
  return (
    <Alert color={invalidLines.length > 0 ? 'orange' : 'teal'} variant="light" role="status">
      <Text>{t('importReport', { added, updated, unchanged, duplicate })}</Text>
      {invalidLines.length > 0 && (
        <Text>
          {t('invalidLines', { count: invalidLines.length })} {invalidLines.slice(0, MAX_LINES_SHOWN).join(', ')}
          {invalidLines.length > MAX_LINES_SHOWN && ' …'}
        </Text>
      )}
    </Alert>
  );
}

async function importWatches(
  { client }: OperatorSession,
  { batches, invalidLines }: EnrolmentFile,
  onProgress: (done: number) => void,
): Promise<ImportReport> {
  const counts = { ADDED: 0, UPDATED: 0, UNCHANGED: 0, DUPLICATE: 0 };
  const invalid = [...invalidLines];
  let done = 0;
  onProgress(done);
  for (const { makerKey, entries } of batches) {
    const imeis = entries.map(({ imei }) => imei);
    const { results } = await client.addToEnrolmentList({ makerKey, imeis });
    for (const [index, { line }] of entries.entries()) {
      const result = results[index] as keyof typeof counts | 'INVALID';
      if (result === 'INVALID') invalid.push(line);
      else counts[result] += 1;
    }
    done += entries.length;
    onProgress(done);
  }
  return {
    added: counts.ADDED,
    updated: counts.UPDATED,
    unchanged: counts.UNCHANGED,
    duplicate: counts.DUPLICATE,
    invalidLines: invalid.sort((one, other) => one - other),
  };
}
