import { Select, type SelectProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** A choice of all time zones. */
export function TimeZoneSelect({ value, ...props }: Omit<SelectProps, 'data'>) {
  const { t } = useTranslation('timeZone');
  // The list of the browser lacks UTC, and names that the service accepts as well, such as those of older clients.
  const names = new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), ...(value == null ? [] : [value])]);
  return <Select label={t('timeZone')} searchable allowDeselect={false} data={[...names]} value={value} {...props} />;
}
