import { Alert } from '@mantine/core';
import { TbAlertCircle } from 'react-icons/tb';
import { useErrorText } from '../core/errors/error-texts.js';

/** Says why the last attempt of a form failed. */
export function ErrorAlert({ error }: { error: unknown }) {
  const errorText = useErrorText();
  if (error === null || error === undefined) return null;
  return (
    <Alert color="orange" variant="light" icon={<TbAlertCircle />} role="alert">
      {errorText(error)}
    </Alert>
  );
}
