import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Schema } from '@family-watch/client';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFieldErrors } from '../../core/errors/error-texts.js';
import { ErrorAlert } from '../../ui/error-alert.js';
import { useUnsavedChanges } from '../../ui/unsaved-changes.js';
import { Credentials } from '../session/credentials.js';
import type { OperatorRole } from '../session/operator-session.js';
import { useOperator } from '../session/use-operator.js';
import { useChange } from '../shared/use-change.js';

const ROLES: readonly OperatorRole[] = ['SUPPORT', 'FLEET', 'BILLING', 'ADMIN'];

interface Values {
  loginName: string;
  roles: OperatorRole[];
}

/** Creates an operator and shows the credentials once, which the new operator replaces. */
export function CreateOperator() {
  const { t } = useTranslation('operatorAdministration');
  const { client } = useOperator();
  const fieldErrors = useFieldErrors();
  const [created, setCreated] = useState<Schema<'CreatedOperatorDto'>>();
  useUnsavedChanges(useCallback(() => created !== undefined, [created]));
  const form = useForm<Values>({
    initialValues: { loginName: '', roles: [] },
    validate: {
      loginName: (name) => (/^[a-z][a-z0-9._-]{2,31}$/.test(name) ? null : t('loginNameRule')),
      roles: (roles) => (roles.length > 0 ? null : t('rolesRule')),
    },
  });
  const create = useChange(
    (values: Values) => client.create(values),
    (result) => setCreated(result),
  );
  if (created) {
    return (
      <Stack>
        <Credentials credentials={created} password={created.password} />
        <Group>
          <Button
            onClick={() => {
              setCreated(undefined);
              form.reset();
            }}
          >
            {t('stored')}
          </Button>
        </Group>
      </Stack>
    );
  }
  const submit = (values: Values) =>
    create.mutate(values, { onError: (error) => form.setErrors(fieldErrors(error, values)) });
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack>
        <TextInput
          label={t('loginName')}
          description={t('loginNameHint')}
          required
          autoComplete="off"
          autoCapitalize="none"
          maw={420}
          {...form.getInputProps('loginName')}
        />
        <Checkbox.Group label={t('roles')} required {...form.getInputProps('roles')}>
          <Stack gap={0}>
            {ROLES.map((role) => (
              <Checkbox key={role} value={role} label={`${role}: ${t(`role${role}`)}`} />
            ))}
          </Stack>
        </Checkbox.Group>
        <ErrorAlert error={create.error} />
        <Group>
          <Button type="submit" loading={create.isPending}>
            {t('create')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
