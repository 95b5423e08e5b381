import type { Schema } from '@family-watch/client';
import { Button, Group, NumberInput, Progress, Stack, Table, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFieldErrors } from '../../../core/errors/error-texts.js';
import { useSession } from '../../../core/session/use-session.js';
import { useLanguage } from '../../../core/texts.js';
import { ErrorAlert } from '../../../ui/error-alert.js';
import { QueryView } from '../../../ui/query-view.js';
import { useUnsavedChanges } from '../../../ui/unsaved-changes.js';
import { stepsQuery } from './queries.js';

/** The steps of today and of the last days, and the goal. */
export function StepsCard({ child: { cid, stepCount } }: { child: Schema<'ChildDto'> }) {
  const { t } = useTranslation('children');
  const [language] = useLanguage();
  const session = useSession();
  const steps = useQuery(stepsQuery(session, cid));
  const [isChanging, setChanging] = useState(false);
  // The days are dates in the child's time zone, which are formatted as such.
  const formatDay = new Intl.DateTimeFormat(language, { dateStyle: 'full', timeZone: 'UTC' });
  return (
    <Stack gap="sm">
      <Text size="lg">{t('steps', { count: stepCount })}</Text>
      <QueryView query={steps}>
        {({ stepGoal, items }) => (
          <Stack gap="sm">
            {stepGoal !== null && <GoalProgress steps={stepCount} goal={stepGoal} />}
            {isChanging ? (
              <GoalForm cid={cid} stepGoal={stepGoal} onDone={() => setChanging(false)} />
            ) : (
              <Group justify="space-between">
                <Text>{stepGoal === null ? t('noGoal') : t('goal', { count: stepGoal })}</Text>
                <Button variant="light" onClick={() => setChanging(true)}>
                  {t('changeGoal')}
                </Button>
              </Group>
            )}
            {items.length === 0 ? (
              <Text c="dimmed">{t('noSteps')}</Text>
            ) : (
              <Table captionSide="top">
                <Table.Caption>{t('stepDays')}</Table.Caption>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>{t('day')}</Table.Th>
                    <Table.Th ta="right">{t('stepsTitle')}</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {items.map(({ day, steps: count }) => (
                    <Table.Tr key={day}>
                      <Table.Td>{formatDay.format(new Date(day))}</Table.Td>
                      <Table.Td ta="right">{count.toLocaleString(language)}</Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            )}
          </Stack>
        )}
      </QueryView>
    </Stack>
  );
}

function GoalProgress({ steps, goal }: { steps: number; goal: number }) {
  const { t } = useTranslation('children');
  const percent = Math.floor((steps / goal) * 100);
  const text = percent >= 100 ? t('goalReached') : t('goalProgress', { percent });
  return (
    <>
      <Progress value={Math.min(100, percent)} size="lg" aria-label={text} />
      <Text size="sm" c="dimmed">
        {text}
      </Text>
    </>
  );
}

function GoalForm({ cid, stepGoal, onDone }: { cid: string; stepGoal: number | null; onDone: () => void }) {
  const { t } = useTranslation('children');
  const { client } = useSession();
  const queries = useQueryClient();
  const fieldErrors = useFieldErrors();
  // An empty NumberInput has the value ''.
  const form = useForm<{ stepGoal: number | string }>({ initialValues: { stepGoal: stepGoal ?? '' } });
  useUnsavedChanges(form.isDirty);
  const update = useMutation({
    mutationFn: (values: { stepGoal: number | string }) =>
      client.children.updateStepGoal({ cid, stepGoal: values.stepGoal === '' ? null : Number(values.stepGoal) }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['children', 'steps', cid] });
      onDone();
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  return (
    <form onSubmit={form.onSubmit((values) => update.mutate(values))}>
      <Stack gap="sm">
        <NumberInput
          label={t('goalLabel')}
          description={t('goalHint')}
          allowDecimal={false}
          allowNegative={false}
          step={500}
          {...form.getInputProps('stepGoal')}
        />
        <ErrorAlert error={update.error} />
        <Group>
          <Button type="submit" loading={update.isPending}>
            {t('save')}
          </Button>
          <Button variant="subtle" onClick={onDone}>
            {t('cancel')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
