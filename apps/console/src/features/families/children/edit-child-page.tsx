import { Button, Divider, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import type { Schema } from '@family-watch/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useFieldErrors } from '../../../core/errors/error-texts.js';
import { useSession } from '../../../core/session/use-session.js';
import { ConfirmButton } from '../../../ui/confirm-button.js';
import { ErrorAlert } from '../../../ui/error-alert.js';
import { PageTitle } from '../../../ui/page-title.js';
import { PhoneField } from '../../../ui/phone-field.js';
import { QueryView } from '../../../ui/query-view.js';
import { TimeZoneSelect } from '../../../ui/time-zone-select.js';
import { useUnsavedChanges } from '../../../ui/unsaved-changes.js';
import { PhotoField } from '../../accounts/photo/photo-field.js';
import { childDetailQuery, familiesQuery, OWNER } from '../queries.js';
import { HeightInput } from './height-input.js';

type ChildDetail = Schema<'ChildDetailDto'>;

const route = getRouteApi('/signed-in/children/$cid/edit');

/** Shows and changes what the family has entered about a child; the owner deletes the child here. */
export function EditChildPage() {
  const { t } = useTranslation('children');
  const { cid } = route.useParams();
  const detail = useQuery(childDetailQuery(useSession(), cid));
  return (
    <Stack maw={480}>
      <PageTitle title={detail.data?.name ?? t('edit')} back={{ to: '/children' }} />
      <QueryView query={detail}>
        {(child) => (
          <Stack>
            <ChildPhoto child={child} />
            <ChildForm child={child} />
            <DeleteChild child={child} />
          </Stack>
        )}
      </QueryView>
    </Stack>
  );
}

/** The photo is saved at once, with the stored values of the fields that an update must contain. */
function ChildPhoto({ child }: { child: ChildDetail }) {
  const { client } = useSession();
  const { cid, familyId, name, appellation, areaCode, phoneNumber, height, weight, avatar } = child;
  const fields = { cid, name, appellation, areaCode, phoneNumber, height, weight };
  return (
    <PhotoField
      name={name}
      avatar={avatar}
      cloudID={familyId}
      update={(next) => client.children.update({ ...fields, avatar: next })}
    />
  );
}

function ChildForm({ child }: { child: ChildDetail }) {
  const { t } = useTranslation('children');
  const { client } = useSession();
  const queries = useQueryClient();
  const fieldErrors = useFieldErrors();
  const form = useForm({ initialValues: toValues(child) });
  useUnsavedChanges(form.isDirty);
  const update = useMutation({
    mutationFn: ({ gender, birthday, ...values }: ReturnType<typeof toValues>) =>
      client.children.update({
        cid: child.cid,
        ...values,
        gender: Number(gender) as ChildDetail['gender'],
        birthday: birthday || null,
      }),
    onSuccess: async () => {
      form.resetDirty();
      await queries.invalidateQueries({ queryKey: ['children'] });
      notifications.show({ message: t('saved') });
    },
    onError: (error, values) => form.setErrors(fieldErrors(error, values)),
  });
  return (
    <form onSubmit={form.onSubmit((values) => update.mutate(values))} noValidate>
      <Stack>
        <TextInput label={t('name')} required {...form.getInputProps('name')} />
        <TextInput label={t('appellation')} required {...form.getInputProps('appellation')} />
        <PhoneField label={t('phoneNumber')} getInputProps={form.getInputProps} />
        <Group grow align="start">
          <TextInput label={t('birthday')} type="date" {...form.getInputProps('birthday')} />
          <Select
            label={t('gender')}
            data={([0, 2, 3] as const).map((value) => ({ value: String(value), label: t(`gender${value}`) }))}
            allowDeselect={false}
            {...form.getInputProps('gender')}
          />
        </Group>
        <HeightInput label={t('height')} {...form.getInputProps('height')} />
        <TimeZoneSelect {...form.getInputProps('timeZone')} />
        <ErrorAlert error={update.error} />
        <Button type="submit" loading={update.isPending}>
          {t('save')}
        </Button>
      </Stack>
    </form>
  );
}

/** For the owner. The child can be restored on the page of the family for seven days. */
function DeleteChild({ child: { cid, familyId, name } }: { child: ChildDetail }) {
  const { t } = useTranslation('children');
  const session = useSession();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { data: families } = useQuery(familiesQuery(session));
  const remove = useMutation({
    mutationFn: () => session.client.children.delete({ cid }),
    onSuccess: async () => {
      await navigate({ to: '/family', ignoreBlocker: true });
      queries.removeQueries({ queryKey: ['children', 'detail', cid] });
      const stale = [['children'], ['watches'], ['conversations'], ['deleted-children']];
      await Promise.all(stale.map((queryKey) => queries.invalidateQueries({ queryKey })));
      notifications.show({ message: t('deleted', { name }) });
    },
  });
  if (!families?.items.some((family) => family.familyId === familyId && family.role === OWNER)) return null;
  return (
    <Stack align="start">
      <Divider w="100%" />
      <Text size="sm" c="dimmed">
        {t('deleteHint')}
      </Text>
      <ConfirmButton label={t('delete')} question={t('deleteQuestion', { name })} action={remove} />
    </Stack>
  );
}

function toValues({
  name,
  appellation,
  areaCode,
  phoneNumber,
  height,
  weight,
  gender,
  birthday,
  timeZone,
}: ChildDetail) {
  return {
    name,
    appellation,
    areaCode,
    phoneNumber,
    height,
    weight,
    gender: String(gender),
    birthday: birthday ?? '',
    timeZone,
  };
}
