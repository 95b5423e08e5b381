import { NativeSelect } from '@mantine/core';
import { useTranslation } from 'react-i18next';

interface StateFilterProps<State extends string> {
  label: string;
  states: readonly State[];
  textOf: (state: State) => string;
  /** Empty for all states. */
  value: State | '';
  onChange: (value: State | '') => void;
}

/** Chooses the state of the items that a list contains. */
export function StateFilter<State extends string>({ label, states, textOf, value, onChange }: StateFilterProps<State>) {
  const { t } = useTranslation('operatorLists');
  return (
    <NativeSelect
      label={label}
      maw={320}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value as State | '')}
      data={[{ value: '', label: t('all') }, ...states.map((state) => ({ value: state, label: textOf(state) }))]}
    />
  );
}
