import { Button, CopyButton, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import type { Schema } from '@family-watch/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFieldErrors } from '../../../core/errors/error-texts.js';
import { useSession } from '../../../core/session/use-session.js';
import { ConfirmButton } from '../../../ui/confirm-button.js';
import { DateTime } from '../../../ui/date-time.js';
import { Dialog } from '../../../ui/dialog.js';
import { ErrorAlert } from '../../../ui/error-alert.js';
import { QrCode } from '../../../ui/qr-code.js';
import { QueryView } from '../../../ui/query-view.js';
import { RelationSelect } from '../../../ui/relation-select.js';
import { Section } from '../../../ui/section.js';
import { useFamilyChildren } from '../queries.js';
import { AccessFields } from './access-fields.js';
import { toAccess, type Access } from './permissions.js';
import { invitationsQuery } from './queries.js';

type Invitation = Schema<'InvitationDto'>;
type CreatedInvitation = Schema<'CreatedInvitationDto'>;
type Relation = NonNullable<Schema<'CreateInvitationDto'>['identityType']>;

/** The open invitations of a family, and a form for a new one. */
export function Invitations({ familyId }: { familyId: string }) {
  const { t } = useTranslation('family');
  const invitations = useQuery(invitationsQuery(useSession(), familyId));
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <Section title={t('invitations')}>
      <QueryView query={invitations}>
        {({ items }) => (
          <Stack>
            {items.length === 0 && <Text c="dimmed">{t('noInvitations')}</Text>}
            {items.map((invitation) => (
              <InvitationRow key={invitation.invitationId} familyId={familyId} invitation={invitation} />
            ))}
          </Stack>
        )}
      </QueryView>
      <Button variant="light" onClick={open}>
        {t('invite')}
      </Button>
      <Dialog opened={isOpen} onClose={close} title={t('invite')}>
        <NewInvitation familyId={familyId} onDone={close} />
      </Dialog>
    </Section>
  );
}

function InvitationRow({
  familyId,
  invitation: { invitationId, role, appellation, expireTime },
}: {
  familyId: string;
  invitation: Invitation;
}) {
  const { t } = useTranslation('family');
  const { client } = useSession();
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => client.families.cancelInvitation({ familyId, invitationId }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['families', 'invitations', familyId] }),
  });
  return (
    <Group justify="space-between">
      <Stack gap={0}>
        <Text>{appellation ? `${appellation} · ${t(`role${role}`)}` : t(`role${role}`)}</Text>
        <Text size="sm" c="dimmed">
          {t('validUntil')} <DateTime time={expireTime} />
        </Text>
      </Stack>
      <ConfirmButton label={t('cancelInvitation')} question={t('cancelInvitationQuestion')} action={cancel} />
    </Group>
  );
}

function NewInvitation({ familyId, onDone }: { familyId: string; onDone: () => void }) {
  const { t } = useTranslation('family');
  const { client } = useSession();
  const queries = useQueryClient();
  const fieldErrors = useFieldErrors();
  const familyChildren = useFamilyChildren(familyId);
  // Not preset: an invitation gives access to children.
  const [access, setAccess] = useState<Access>();
  const [isRoleMissing, setRoleMissing] = useState(false);
  const form = useForm({ initialValues: { appellation: '', identityType: '0' } });
  const create = useMutation({
    mutationFn: ({ appellation, identityType, chosen }: typeof form.values & { chosen: Access }) =>
      client.families.createInvitation({
        familyId,
        ...toAccess(chosen),
        identityType: Number(identityType) as Relation,
        ...(appellation && { appellation }),
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['families', 'invitations', familyId] }),
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  const submit = (values: typeof form.values) => {
    setRoleMissing(!access);
    if (access) create.mutate({ ...values, chosen: access });
  };
  if (create.data) return <InvitationCode created={create.data} onDone={onDone} />;
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack>
        <AccessFields
          access={access}
          onChange={setAccess}
          familyChildren={familyChildren}
          error={isRoleMissing && !access ? t('chooseRole') : undefined}
        />
        <RelationFields form={form} />
        <ErrorAlert error={create.error} />
        <Button type="submit" loading={create.isPending}>
          {t('createInvitation')}
        </Button>
      </Stack>
    </form>
  );
}

/** How the children know a person. */
export function RelationFields({
  form,
}: {
  form: ReturnType<typeof useForm<{ appellation: string; identityType: string }>>;
}) {
  const { t } = useTranslation('family');
  return (
    <>
      <TextInput label={t('appellation')} {...form.getInputProps('appellation')} />
      <RelationSelect {...form.getInputProps('identityType')} />
    </>
  );
}

function InvitationCode({ created: { code, expireTime }, onDone }: { created: CreatedInvitation; onDone: () => void }) {
  const { t } = useTranslation('family');
  const link = `${location.origin}/family/join?code=${encodeURIComponent(code)}`;
  return (
    <Stack align="center" role="status">
      <Text>{t('invitationReady')}</Text>
      <QrCode text={link} label={t('invitationQr')} />
      <Text ff="monospace" size="sm" style={{ overflowWrap: 'anywhere' }}>
        {link}
      </Text>
      <Text size="sm" c="dimmed">
        {t('validUntil')} <DateTime time={expireTime} />
      </Text>
      <Group justify="center">
        <CopyButton value={link}>
          {({ copied, copy }) => (
            <Button variant="light" onClick={copy}>
              {t(copied ? 'copied' : 'copyLink')}
            </Button>
          )}
        </CopyButton>
        {'share' in navigator && (
          <Button variant="light" onClick={() => void navigator.share({ url: link }).catch(() => undefined)}>
            {t('share')}
          </Button>
        )}
        <Button onClick={onDone}>{t('done')}</Button>
      </Group>
    </Stack>
  );
}
