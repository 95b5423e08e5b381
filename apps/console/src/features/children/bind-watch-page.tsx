import { Anchor, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useFieldErrors } from '../../app/errors/error-texts.js';
import { useSession } from '../../app/session/use-session.js';
import { useTexts } from '../../app/texts.js';
import { ErrorAlert } from '../../ui/error-alert.js';
import { childrenQuery } from './queries.js';
import { texts } from './texts.js';

const route = getRouteApi('/signed-in/children/$cid/bind');
const INITIAL_VALUES = { bindCode: '', confirmCode: '' };

/** Binds a watch to a child with the two codes that the watch shows. */
export function BindWatchPage() {
  const t = useTexts(texts);
  const { cid } = route.useParams();
  const session = useSession();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const fieldErrors = useFieldErrors();
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const { data } = useQuery(childrenQuery(session));
  const name = data?.childList.find((child) => child.cid === cid)?.name ?? '';
  const form = useForm({ initialValues: INITIAL_VALUES });
  const bind = useMutation({
    mutationFn: (values: typeof INITIAL_VALUES) => session.client.watches.bind({ cid, ...values }, { idempotencyKey }),
    onSuccess: async () => {
      await Promise.all([['children'], ['watches']].map((queryKey) => queries.invalidateQueries({ queryKey })));
      notifications.show({ message: t('bound') });
      await navigate({ to: '/children' });
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  return (
    <form onSubmit={form.onSubmit((values) => bind.mutate(values))}>
      <Stack maw={480}>
        <Title order={1}>{t('bindTitle', { name })}</Title>
        <Text>{t('bindHint')}</Text>
        <TextInput label={t('bindCode')} required autoComplete="off" {...form.getInputProps('bindCode')} />
        <TextInput
          label={t('confirmCode')}
          required
          inputMode="numeric"
          autoComplete="off"
          {...form.getInputProps('confirmCode')}
        />
        <ErrorAlert error={bind.error} />
        <Group>
          <Button type="submit" loading={bind.isPending}>
            {t('bind')}
          </Button>
          <Button component={Link} to="/children" variant="subtle">
            {t('cancel')}
          </Button>
        </Group>
        <Anchor component={Link} to="/watch" target="_blank">
          {t('openWatch')}
        </Anchor>
      </Stack>
    </form>
  );
}
