import { Select } from '@mantine/core';
import type { SelectProps } from '@mantine/core';
import { defineTexts, useTexts } from '../app/texts.js';

const texts = defineTexts('relation', {
  en: {
    relation: 'Relation',
    relation0: 'Other',
    relation1: 'Father',
    relation2: 'Mother',
    relation3: 'Grandfather',
    relation4: 'Grandmother',
    relation5: 'Other relative',
    relation6: 'Friend',
  },
  'zh-CN': {
    relation: '关系',
    relation0: '其他',
    relation1: '父亲',
    relation2: '母亲',
    relation3: '祖父/外祖父',
    relation4: '祖母/外祖母',
    relation5: '其他亲属',
    relation6: '朋友',
  },
});

/** What a person is to the child; the values are those of `identityType`. */
const RELATIONS = [1, 2, 3, 4, 5, 6, 0] as const;

export function RelationSelect(props: Omit<SelectProps, 'data'>) {
  const t = useTexts(texts);
  return (
    <Select
      label={t('relation')}
      allowDeselect={false}
      data={RELATIONS.map((value) => ({ value: String(value), label: t(`relation${value}`) }))}
      {...props}
    />
  );
}
