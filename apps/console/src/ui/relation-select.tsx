import { Select, type SelectProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** What a person is to the child; the values are those of `identityType`. */
const RELATIONS = [1, 2, 3, 4, 5, 6, 0] as const;

export function RelationSelect(props: Omit<SelectProps, 'data'>) {
  const { t } = useTranslation('relation');
  return (
    <Select
      label={t('relation')}
      allowDeselect={false}
      data={RELATIONS.map((value) => ({ value: String(value), label: t(`relation${value}`) }))}
      {...props}
    />
  );
}
