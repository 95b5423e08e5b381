import { Select } from '@mantine/core';
import type { SelectProps } from '@mantine/core';
import { defineTexts, useTexts } from '../app/texts.js';

const texts = defineTexts('time-zone', { en: { timeZone: 'Time zone' }, 'zh-CN': { timeZone: '时区' } });

/** A choice of all time zones. */
export function TimeZoneSelect({ value, ...props }: Omit<SelectProps, 'data'>) {
  const t = useTexts(texts);
  // The list of the browser lacks UTC, and names that the service accepts as well, such as those of older clients.
  const names = new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), ...(value == null ? [] : [value])]);
  return <Select label={t('timeZone')} searchable allowDeselect={false} data={[...names]} value={value} {...props} />;
}
