import { Button, Group, Stack, Text } from '@mantine/core';
import { useBlocker, type ShouldBlockFn } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from './dialog.js';

/** For each form of the page, whether it has changes that are not saved. */
const forms = new Set<() => boolean>();

const hasUnsavedChanges = () => [...forms].some((isDirty) => isDirty());
const shouldBlock: ShouldBlockFn = ({ current, next }) => current.pathname !== next.pathname && hasUnsavedChanges();

/**
 * Lets the person decide before changes of a form are lost with the page. A form that leaves the page after it was saved
 * must not be dirty any more (`form.resetDirty()`).
 */
export function useUnsavedChanges(isDirty: () => boolean): void {
  useEffect(() => {
    const check = () => isDirty();
    forms.add(check);
    return () => void forms.delete(check);
  }, [isDirty]);
}

/** The dialog for all forms. The browser itself asks before the page is closed or loaded again. */
export function UnsavedChangesDialog() {
  const { t } = useTranslation('unsavedChanges');
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: shouldBlock,
    enableBeforeUnload: hasUnsavedChanges,
    withResolver: true,
  });
  return (
    <Dialog opened={status === 'blocked'} onClose={() => reset?.()} title={t('title')}>
      <Stack>
        <Text>{t('hint')}</Text>
        <Group justify="end">
          <Button variant="subtle" color="gray" onClick={proceed}>
            {t('leave')}
          </Button>
          <Button onClick={reset}>{t('stay')}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
