import { Button, Group, Stack, Text, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { UseMutationResult } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Dialog } from './dialog.js';
import { ErrorAlert } from './error-alert.js';

interface ConfirmButtonProps extends ButtonProps {
  label: string;
  /** The heading of the dialog: what will happen, and to what. */
  title?: string;
  /** What a person should know before the decision. */
  question?: string;
  /** The button that confirms: the verb of the action. */
  confirm?: string;
  action: UseMutationResult<unknown, unknown, void>;
  'aria-label'?: string;
  /** Layer of the dialog. */
  zIndex?: number;
}

/** A button whose action a person confirms in a dialog. The dialog stays open until the service has answered. */
export function ConfirmButton({
  label,
  title = label,
  question,
  confirm = label,
  action,
  color = 'red',
  variant = 'subtle',
  zIndex,
  ...props
}: ConfirmButtonProps) {
  const { t } = useTranslation('confirm');
  const [isOpen, { open, close }] = useDisclosure(false);
  const start = () => {
    action.reset();
    open();
  };
  return (
    <>
      <Button variant={variant} px={variant === 'subtle' ? 'xs' : undefined} color={color} {...props} onClick={start}>
        {label}
      </Button>
      <Dialog opened={isOpen} onClose={close} title={title} zIndex={zIndex}>
        <Stack>
          {question !== undefined && <Text>{question}</Text>}
          <ErrorAlert error={action.error} />
          <Group justify="end">
            <Button variant="subtle" color="gray" onClick={close}>
              {t('cancel')}
            </Button>
            <Button
              color={color}
              loading={action.isPending}
              onClick={() => action.mutate(undefined, { onSuccess: close })}
            >
              {confirm}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  );
}
