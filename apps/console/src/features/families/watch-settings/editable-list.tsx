import { Button, Card, Group, Stack, Switch, Text, Title } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../../ui/confirm-button.js';
import { SettingsError } from './use-settings-change.js';

interface EditableListProps<Item> {
  items: readonly Item[];
  idOf: (item: Item) => string;
  /** What the page says without items. */
  empty: string;
  /** The button that opens the form of a new item. */
  add: string;
  renderItem: (item: Item, onEdit: () => void, index: number) => ReactNode;
  renderForm: (item: Item | undefined, onClose: () => void) => ReactNode;
}

/** A list of cards. A card also contains the form of its item while a person edits it; at most one form is open. */
export function EditableList<Item>({ items, idOf, empty, add, renderItem, renderForm }: EditableListProps<Item>) {
  const [edited, setEdited] = useState<string>();
  const close = () => setEdited(undefined);
  return (
    <>
      {items.length === 0 && edited === undefined && <Text c="dimmed">{empty}</Text>}
      {items.map((item, index) => {
        const id = idOf(item);
        const isEdited = edited === id;
        return (
          <Card key={id} withBorder>
            <Stack gap="sm">
              {renderItem(item, () => setEdited(isEdited ? undefined : id), index)}
              {isEdited && renderForm(item, close)}
            </Stack>
          </Card>
        );
      })}
      {edited === 'new' ? (
        <Card withBorder>{renderForm(undefined, close)}</Card>
      ) : (
        <Button variant="light" onClick={() => setEdited('new')}>
          {add}
        </Button>
      )}
    </>
  );
}

interface ItemButtonsProps {
  name: string;
  onEdit: () => void;
  /** Omitted for an item that cannot be deleted. */
  deletion?: { title: string; action: UseMutationResult<unknown, unknown, void> };
}

export function ItemButtons({ name, onEdit, deletion }: ItemButtonsProps) {
  const { t } = useTranslation('watchSettings');
  return (
    <Group>
      <Button variant="light" aria-label={t('editNamed', { name })} onClick={onEdit}>
        {t('edit')}
      </Button>
      {deletion && <ConfirmButton label={t('delete')} aria-label={t('deleteNamed', { name })} {...deletion} />}
    </Group>
  );
}

interface SwitchedItemProps extends ItemButtonsProps {
  enabled: boolean;
  toggle: UseMutationResult<unknown, unknown, boolean>;
  /** The stored state in words. */
  current: string;
  children: ReactNode;
}

/** An item that a person can turn off. */
export function SwitchedItem({ name, enabled, toggle, current, children, ...buttons }: SwitchedItemProps) {
  const { t } = useTranslation('watchSettings');
  return (
    <>
      <Group justify="space-between" wrap="nowrap" align="start">
        <Stack gap={0}>
          <Title order={2} size="h3">
            {name}
          </Title>
          {children}
        </Stack>
        <Switch
          aria-label={t('enabledNamed', { name })}
          checked={enabled}
          disabled={toggle.isPending}
          onChange={({ currentTarget }) => toggle.mutate(currentTarget.checked)}
        />
      </Group>
      <SettingsError error={toggle.error} current={current} />
      <ItemButtons name={name} {...buttons} />
    </>
  );
}
