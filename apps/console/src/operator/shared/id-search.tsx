import { Button, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

interface IdSearchProps {
  label: string;
  description: string;
  /** Whether an empty field is searched as well, which ends a filter. */
  canBeEmpty?: boolean;
  onSearch: (id: string) => void;
}

/** A search by an id, such as one that a person reads out. */
export function IdSearch({ label, description, canBeEmpty = false, onSearch }: IdSearchProps) {
  const { t } = useTranslation('operatorLists');
  const [text, setText] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const id = text.trim();
        if (id !== '' || canBeEmpty) onSearch(id);
      }}
    >
      <Group align="end" gap="sm">
        <TextInput
          flex={1}
          miw={260}
          label={label}
          description={description}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Button type="submit">{t('search')}</Button>
      </Group>
    </form>
  );
}
