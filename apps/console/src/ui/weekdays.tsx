import { Checkbox, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useLanguage } from '../core/texts.js';

/** Weekdays as the service numbers them: 1 Monday to 7 Sunday. */
export const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7] as const;
/** A Monday. */
const MONDAY = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;

function nameOfWeekday(weekday: number, language: string): string {
  return new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' }).format(
    MONDAY + (weekday - 1) * DAY_MS,
  );
}

/** Returns a function that lists weekdays in words. */
export function useWeekdaysText(): (weekdays: readonly number[]) => string {
  const { t } = useTranslation('weekdays');
  const [language] = useLanguage();
  return (weekdays) => {
    if (weekdays.length === 0) return t('noDay');
    if (weekdays.length === WEEKDAYS.length) return t('everyDay');
    const names = weekdays.toSorted((a, b) => a - b).map((weekday) => nameOfWeekday(weekday, language));
    return new Intl.ListFormat(language, { type: 'conjunction', style: 'narrow' }).format(names);
  };
}

interface WeekdaysFieldProps {
  label?: string;
  value?: number[];
  onChange?: (weekdays: number[]) => void;
  error?: unknown;
}

export function WeekdaysField({ label, value = [], onChange, error }: WeekdaysFieldProps) {
  const { t } = useTranslation('weekdays');
  const [language] = useLanguage();
  return (
    <Checkbox.Group
      label={label ?? t('weekdays')}
      error={error as string | undefined}
      value={value.map(String)}
      onChange={(values) => onChange?.(values.map(Number).toSorted((a, b) => a - b))}
    >
      <Group gap="md" mt={4}>
        {WEEKDAYS.map((weekday) => (
          <Checkbox key={weekday} value={String(weekday)} label={nameOfWeekday(weekday, language)} />
        ))}
      </Group>
    </Checkbox.Group>
  );
}
