import { Button, Checkbox, Fieldset, Group, Stack, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { TbPlus } from 'react-icons/tb';
import { useTranslation } from 'react-i18next';
import { DatesField } from '../../../ui/dates-field.js';
import { WeekdaysField } from '../../../ui/weekdays.js';
import { NEW_WINDOW, type FenceValues } from './fence-values.js';

/** The times in which the child should be at the place. */
export function FenceWindowFields({ form }: { form: UseFormReturnType<FenceValues> }) {
  const { t } = useTranslation('fences');
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {t('attendanceHint')}
      </Text>
      {form.values.windows.map((_, index) => {
        const path = `windows.${index}`;
        return (
          <Fieldset key={index} legend={t('window', { number: index + 1 })}>
            <Stack gap="sm">
              {form.errors[path] !== undefined && (
                <Text c="orange" role="alert">
                  {form.errors[path]}
                </Text>
              )}
              <WeekdaysField {...form.getInputProps(`${path}.weekdays`)} />
              <Group grow align="start">
                <TextInput type="time" label={t('from')} required {...form.getInputProps(`${path}.from`)} />
                <TextInput type="time" label={t('to')} required {...form.getInputProps(`${path}.to`)} />
              </Group>
              <TextInput
                type="time"
                label={t('notArrivedBy')}
                description={t('notArrivedHint')}
                {...form.getInputProps(`${path}.notArrivedBy`)}
              />
              <Checkbox label={t('leftEarly')} {...form.getInputProps(`${path}.leftEarly`, { type: 'checkbox' })} />
              <DatesField label={t('skipDates')} {...form.getInputProps(`${path}.skipDates`)} />
              <Button
                variant="subtle"
                style={{ alignSelf: 'start' }}
                onClick={() => form.removeListItem('windows', index)}
              >
                {t('removeWindow', { number: index + 1 })}
              </Button>
            </Stack>
          </Fieldset>
        );
      })}
      <Button
        variant="light"
        leftSection={<TbPlus aria-hidden />}
        style={{ alignSelf: 'start' }}
        onClick={() => form.insertListItem('windows', NEW_WINDOW)}
      >
        {t('addWindow')}
      </Button>
    </Stack>
  );
}
