import { Button, Group, Stack, Text } from '@mantine/core';
import type { ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { defineTexts, useTexts } from '../app/texts.js';
import { Dialog } from './dialog.js';
import { ErrorAlert } from './error-alert.js';

const texts = defineTexts('question', { en: { cancel: 'Cancel' }, 'zh-CN': { cancel: '取消' } });

interface QuestionButtonProps extends ButtonProps {
  label: ReactNode;
  /** What will happen, and to what. */
  question: string;
  /** The answer that confirms: the verb of the action. */
  confirm: string;
  /** The question stays open until the action has succeeded, and shows why it failed. */
  onConfirm: () => Promise<unknown>;
  isPending: boolean;
  error: unknown;
  'aria-label'?: string;
  zIndex?: number;
}

/** A button for an action that cannot be undone: it asks before it acts. */
export function QuestionButton({
  label,
  question,
  confirm,
  onConfirm,
  isPending,
  error,
  zIndex,
  ...button
}: QuestionButtonProps) {
  const t = useTexts(texts);
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button {...button} onClick={open}>
        {label}
      </Button>
      <Dialog opened={isOpen} onClose={close} title={<Text fw={600}>{question}</Text>} zIndex={zIndex}>
        <Stack>
          <ErrorAlert error={error} />
          <Group justify="end">
            <Button variant="subtle" onClick={close}>
              {t('cancel')}
            </Button>
            <Button
              color={button.color}
              loading={isPending}
              // The error is shown above; the question stays open.
              onClick={() => void onConfirm().then(close, () => undefined)}
            >
              {confirm}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  );
}
