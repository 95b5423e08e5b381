import type { Schema } from '@family-watch/client';
import { ActionIcon, Badge, Checkbox, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { TbArrowDown, TbArrowUp } from 'react-icons/tb';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFieldErrors } from '../../../core/errors/error-texts.js';
import { useSession } from '../../../core/session/use-session.js';
import { ErrorAlert } from '../../../ui/error-alert.js';
import { PhoneField } from '../../../ui/phone-field.js';
import { QueryView } from '../../../ui/query-view.js';
import { RelationSelect } from '../../../ui/relation-select.js';
import { useUnsavedChanges } from '../../../ui/unsaved-changes.js';
import { EditableList, ItemButtons } from './editable-list.js';
import { contactsQuery } from './queries.js';
import { FormButtons } from './form-buttons.js';
import { SettingsPage } from './settings-page.js';
import { useWatch } from './use-watch.js';

type Contact = Schema<'ContactDto'>;

/** The contacts of the watch, in the order in which an SOS notifies them. */
export function ContactsPage() {
  const { t } = useTranslation('watchSettings');
  const session = useSession();
  const { did } = useWatch();
  const query = useQuery(contactsQuery(session, did));
  return (
    <SettingsPage title={t('contacts')}>
      <Text c="dimmed">{t('sosOrderHint')}</Text>
      <QueryView query={query}>
        {({ items }) => (
          <EditableList
            items={items}
            idOf={({ refId }) => refId}
            empty={t('noContacts')}
            add={t('addContact')}
            renderItem={(contact, onEdit, index) => (
              <ContactItem
                contact={contact}
                rank={index + 1}
                before={items[index - 1]}
                after={items[index + 1]}
                onEdit={onEdit}
              />
            )}
            renderForm={(contact, onClose) => <ContactForm contact={contact} onClose={onClose} />}
          />
        )}
      </QueryView>
    </SettingsPage>
  );
}

interface ContactItemProps {
  contact: Contact;
  /** Place in the order, from 1. */
  rank: number;
  before: Contact | undefined;
  after: Contact | undefined;
  onEdit: () => void;
}

function ContactItem({ contact, rank, before, after, onEdit }: ContactItemProps) {
  const { t } = useTranslation('watchSettings');
  const { client } = useSession();
  const { did } = useWatch();
  const queries = useQueryClient();
  const onSettled = () => queries.invalidateQueries({ queryKey: ['contacts', did] });
  const { refId, userId, name, appellation, areaCode, phoneNumber, sosOrder } = contact;
  // The contact that gets an occupied rank moves the others back, so that moving down is the next one moving up.
  const move = useMutation({
    mutationFn: (change: Pick<Contact, 'refId' | 'sosOrder'>) =>
      client.contacts.update({ deviceId: did, refId: change.refId, sosOrder: change.sosOrder }),
    onSettled,
  });
  const remove = useMutation({ mutationFn: () => client.contacts.delete({ deviceId: did, refId }), onSettled });
  const permissions = (['canCall', 'canChat', 'canVideo', 'schoolAllowed'] as const).filter((each) => contact[each]);
  return (
    <>
      <Group wrap="nowrap" align="start" justify="space-between">
        <Stack gap={4}>
          <Title order={2} size="h4">
            {name}
            {appellation !== name && ` (${appellation})`}
          </Title>
          <Text size="sm">
            {areaCode} {phoneNumber}
          </Text>
          <Text size="sm" c="dimmed">
            {t('sosRank', { rank })}
          </Text>
          <Group gap={4}>
            {permissions.map((each) => (
              <Badge key={each} variant="light" color="gray" tt="none">
                {t(each)}
              </Badge>
            ))}
          </Group>
        </Stack>
        <Stack gap={0}>
          <ActionIcon
            aria-label={t('moveUp', { name })}
            disabled={!before || move.isPending}
            onClick={() => before && move.mutate({ refId, sosOrder: before.sosOrder })}
          >
            <TbArrowUp aria-hidden />
          </ActionIcon>
          <ActionIcon
            aria-label={t('moveDown', { name })}
            disabled={!after || move.isPending}
            onClick={() => after && move.mutate({ refId: after.refId, sosOrder })}
          >
            <TbArrowDown aria-hidden />
          </ActionIcon>
        </Stack>
      </Group>
      <ErrorAlert error={move.error} />
      <ItemButtons
        name={name}
        onEdit={onEdit}
        deletion={userId === undefined ? { title: t('deleteContact', { name }), action: remove } : undefined}
      />
    </>
  );
}

const INITIAL_VALUES = {
  name: '',
  areaCode: '+86',
  phoneNumber: '',
  appellation: '',
  identityType: '0',
  canCall: true,
  canChat: false,
  canVideo: false,
  schoolAllowed: false,
};

function ContactForm({ contact, onClose }: { contact?: Contact; onClose: () => void }) {
  const { t } = useTranslation('watchSettings');
  const { client } = useSession();
  const { did } = useWatch();
  const queries = useQueryClient();
  const fieldErrors = useFieldErrors();
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const isMember = contact?.userId !== undefined;
  const form = useForm({
    initialValues: contact ? { ...contact, identityType: String(contact.identityType) } : INITIAL_VALUES,
  });
  useUnsavedChanges(form.isDirty);
  const save = useMutation({
    mutationFn: async (values: typeof INITIAL_VALUES) => {
      const { name, areaCode, phoneNumber, appellation, canCall, canChat, canVideo, schoolAllowed } = values;
      const identityType = Number(values.identityType) as Contact['identityType'];
      const person = { name, areaCode, phoneNumber };
      const fields = { deviceId: did, identityType, canCall, schoolAllowed };
      const called = appellation.trim() === '' ? {} : { appellation };
      if (!contact) await client.contacts.create({ ...fields, ...person, ...called }, { idempotencyKey });
      // The service takes name and number of a member from the account, and chat is only for members.
      else
        await client.contacts.update({
          ...fields,
          ...called,
          refId: contact.refId,
          ...(isMember ? { canChat, canVideo } : person),
        });
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['contacts', did] });
      notifications.show({ message: t('savedNow') });
      onClose();
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <Stack gap="sm">
        {isMember ? (
          <Text size="sm" c="dimmed">
            {t('memberHint')}
          </Text>
        ) : (
          <>
            <TextInput label={t('name')} required {...form.getInputProps('name')} />
            <PhoneField label={t('phoneNumber')} getInputProps={form.getInputProps} />
          </>
        )}
        <TextInput label={t('appellation')} {...form.getInputProps('appellation')} />
        <RelationSelect {...form.getInputProps('identityType')} />
        <Stack gap={0}>
          {(isMember
            ? (['canCall', 'canChat', 'canVideo', 'schoolAllowed'] as const)
            : (['canCall', 'schoolAllowed'] as const)
          ).map((field) => (
            <Checkbox key={field} label={t(field)} {...form.getInputProps(field, { type: 'checkbox' })} />
          ))}
        </Stack>
        <ErrorAlert error={save.error} />
        <FormButtons isPending={save.isPending} onClose={onClose} />
      </Stack>
    </form>
  );
}
