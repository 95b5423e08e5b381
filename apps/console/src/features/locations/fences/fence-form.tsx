import { Button, Checkbox, Group, NumberInput, SimpleGrid, Stack, Switch, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ErrorAlert } from '../../../ui/error-alert.js';
import { useUnsavedChanges } from '../../../ui/unsaved-changes.js';
import type { Position } from '../map/coordinates.js';
import { FenceShapeFields } from './fence-shape-fields.js';
import { FENCE_LIMITS, toRequest, type FenceValues } from './fence-values.js';
import { FenceWindowFields } from './fence-window-fields.js';
import { useFenceErrors } from './use-fence-errors.js';

interface FenceFormProps {
  cid: string;
  initialValues: FenceValues;
  /** Where the child was last. */
  near: Position | undefined;
  save: (request: ReturnType<typeof toRequest>) => Promise<unknown>;
}

/** All settings of a place. The map is a second way to fill in the fields, not the only one. */
export function FenceForm({ cid, initialValues, near, save }: FenceFormProps) {
  const { t } = useTranslation('fences');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const fenceErrors = useFenceErrors();
  const form = useForm<FenceValues>({ initialValues });
  useUnsavedChanges(form.isDirty);
  const saving = useMutation({
    mutationFn: (values: FenceValues) => save(toRequest(values)),
    onSuccess: async () => {
      form.resetDirty();
      await queries.invalidateQueries({ queryKey: ['fences'] });
      notifications.show({ message: t('saved') });
      await navigate({ to: '/children/$cid/fences', params: { cid } });
    },
    onError: (error) => form.setErrors(fenceErrors(error)),
  });
  const { notify } = form.values;
  return (
    <form onSubmit={form.onSubmit((values) => saving.mutate(values))} noValidate>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <Stack>
          <TextInput label={t('name')} placeholder={t('namePlaceholder')} required {...form.getInputProps('name')} />
          <FenceShapeFields form={form} near={near} />
        </Stack>
        <Stack>
          <Title order={2} size="h3">
            {t('notify')}
          </Title>
          {(['entered', 'left', 'dwelled'] as const).map((event) => (
            <Checkbox key={event} label={t(event)} {...form.getInputProps(`notify.${event}`, { type: 'checkbox' })} />
          ))}
          {notify.dwelled && (
            <NumberInput
              label={t('dwell')}
              clampBehavior="none"
              {...FENCE_LIMITS.dwellMinutes}
              {...form.getInputProps('dwell')}
            />
          )}
          <Title order={2} size="h3">
            {t('attendance')}
          </Title>
          <FenceWindowFields form={form} />
          <Switch label={t('enabled')} {...form.getInputProps('enabled', { type: 'checkbox' })} />
          <ErrorAlert error={saving.error} />
          <Group>
            <Button type="submit" loading={saving.isPending}>
              {t('save')}
            </Button>
            <Button
              renderRoot={(props) => <Link {...props} to="/children/$cid/fences" params={{ cid }} />}
              variant="subtle"
            >
              {t('cancel')}
            </Button>
          </Group>
        </Stack>
      </SimpleGrid>
    </form>
  );
}
