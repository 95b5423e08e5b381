import { ActionIcon, Button, Group, Input, Pill, Stack, TextInput } from '@mantine/core';
import { TbX } from 'react-icons/tb';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLanguage } from '../core/texts.js';

interface DatesFieldProps {
  label: string;
  /** Dates in the child's time zone, YYYY-MM-DD. */
  value?: string[];
  onChange?: (dates: string[]) => void;
  error?: unknown;
}

/** A list of dates. */
export function DatesField({ label, value = [], onChange, error }: DatesFieldProps) {
  const { t } = useTranslation('dates');
  const [language] = useLanguage();
  const [date, setDate] = useState('');
  const format = (each: string) =>
    new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(each));
  const add = () => {
    onChange?.([...new Set([...value, date])].toSorted());
    setDate('');
  };
  return (
    <Input.Wrapper label={label} error={error as string | undefined} labelElement="div" size="md">
      <Stack gap="xs">
        {value.length > 0 && (
          <Group gap="xs">
            {value.map((each) => (
              <Pill key={each} size="lg" h={44} py={0}>
                <Group gap={0} wrap="nowrap">
                  {format(each)}
                  <ActionIcon
                    aria-label={t('removeDate', { date: format(each) })}
                    onClick={() => onChange?.(value.filter((other) => other !== each))}
                  >
                    <TbX aria-hidden size={18} />
                  </ActionIcon>
                </Group>
              </Pill>
            ))}
          </Group>
        )}
        <Group wrap="nowrap" align="end">
          <TextInput
            flex={1}
            type="date"
            aria-label={`${label}: ${t('date')}`}
            value={date}
            onChange={({ currentTarget }) => setDate(currentTarget.value)}
          />
          <Button variant="light" disabled={date === ''} onClick={add}>
            {t('addDate')}
          </Button>
        </Group>
      </Stack>
    </Input.Wrapper>
  );
}
