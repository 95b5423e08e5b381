import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DelayedActions } from './delayed-actions.js';

/** How long a person can take an action back, in milliseconds. */
export const UNDO_MS = 5_000;

interface UndoableAction {
  /** What has happened, for the person. */
  message: string;
  run: () => void;
  onUndo: () => void;
}

/**
 * Returns a function that carries an action out after five seconds, or at once when the page is left, and until then
 * offers to take it back.
 */
export function useUndo(): (action: UndoableAction) => void {
  const { t } = useTranslation('undo');
  const [actions] = useState(() => new DelayedActions(UNDO_MS));
  useEffect(() => {
    const finish = () => void actions.finishAll();
    addEventListener('pagehide', finish);
    return () => {
      removeEventListener('pagehide', finish);
      finish();
    };
  }, [actions]);
  return ({ message, run, onUndo }) => {
    const id = crypto.randomUUID();
    // The notification stays while the pointer is over it, but there is nothing to take back any more.
    actions.schedule(id, () => {
      notifications.hide(id);
      run();
    });
    const undo = () => {
      actions.cancel(id);
      notifications.hide(id);
      onUndo();
    };
    notifications.show({
      id,
      autoClose: UNDO_MS,
      message: (
        <Group justify="space-between" wrap="nowrap">
          <Text>{message}</Text>
          <Button variant="light" flex="none" onClick={undo}>
            {t('undo')}
          </Button>
        </Group>
      ),
    });
  };
}
