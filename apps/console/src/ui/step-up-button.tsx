import { ApiError } from '@family-watch/client';
import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { defineTexts, useTexts } from '../app/texts.js';
import { ErrorAlert } from './error-alert.js';
import { isStepUpComplete, StepUpFields } from './step-up-fields.js';
import type { StepUp } from './step-up-fields.js';

const texts = defineTexts('step-up-button', {
  en: { cancel: 'Cancel', wrong: 'The password or code is wrong.' },
  'zh-CN': { cancel: '取消', wrong: '密码或验证码错误。' },
});

interface StepUpButtonProps {
  label: string;
  question: string;
  warning: string;
  onConfirm: (stepUp: StepUp) => Promise<unknown>;
}

/** A button for a sensitive operation: it explains the consequences and asks for the password or an SMS code. */
export function StepUpButton({ label, question, warning, onConfirm }: StepUpButtonProps) {
  const t = useTexts(texts);
  const [isOpen, { open, close }] = useDisclosure(false);
  const [stepUp, setStepUp] = useState<StepUp>({});
  const confirm = useMutation({
    mutationFn: () => onConfirm(stepUp),
    onSuccess: () => {
      setStepUp({});
      close();
    },
  });
  return (
    <>
      <Button color="red" variant="light" onClick={open}>
        {label}
      </Button>
      <Modal opened={isOpen} onClose={close} title={<Text fw={600}>{question}</Text>} centered>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            confirm.mutate();
          }}
        >
          <Stack>
            <Text>{warning}</Text>
            <StepUpFields value={stepUp} onChange={setStepUp} />
            {isRejected(confirm.error) ? (
              <Alert color="orange" variant="light" role="alert">
                {t('wrong')}
              </Alert>
            ) : (
              <ErrorAlert error={confirm.error} />
            )}
            <Group justify="end">
              <Button variant="subtle" onClick={close}>
                {t('cancel')}
              </Button>
              <Button type="submit" color="red" disabled={!isStepUpComplete(stepUp)} loading={confirm.isPending}>
                {label}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}

/** The service asks for a step-up again if the one of the request was wrong. */
function isRejected(error: unknown): boolean {
  return error instanceof ApiError && error.reason === 'STEP_UP_REQUIRED';
}
