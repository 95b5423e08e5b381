import type { Schema } from '@family-watch/client';
import { Anchor, Button, Card, CopyButton, Group, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useFieldErrors } from '../../core/errors/error-texts.js';
import { useSession } from '../../core/session/use-session.js';
import { useDateFormat } from '../../ui/date-time.js';
import { ErrorAlert } from '../../ui/error-alert.js';
import { PageTitle } from '../../ui/page-title.js';
import { QueryView } from '../../ui/query-view.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { childrenQuery, useChildAccess } from '../families/queries.js';
import { sharesQuery } from './queries.js';

const route = getRouteApi('/signed-in/children/$cid/shares');

/** How long a link can be valid, in seconds. The service allows at most a day. */
const DURATIONS = ['900', '3600', '14400', '86400'] as const;
type Duration = (typeof DURATIONS)[number];

const MAX_TITLE_LENGTH = 64;

/** Links with which people outside of the family see where a child is. */
export function SharesPage() {
  const { t } = useTranslation('locations');
  const { cid } = route.useParams();
  const session = useSession();
  const { data } = useQuery(childrenQuery(session));
  const name = data?.childList.find((child) => child.cid === cid)?.name ?? '';
  const shares = useQuery(sharesQuery(session, cid));
  const { mayAsGuardian } = useChildAccess(cid);
  return (
    <Stack maw={720}>
      <PageTitle title={t('sharesTitle', { name })} back={{ to: '/children/$cid', params: { cid } }} />
      <Text>{t('sharesHint')}</Text>
      {mayAsGuardian('LOCATION') && <ShareForm cid={cid} />}
      <Title order={2} size="h3">
        {t('activeShares')}
      </Title>
      <QueryView query={shares}>
        {({ items }) =>
          items.length === 0 ? (
            <Text c="dimmed">{t('noShares')}</Text>
          ) : (
            <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }}>
              {items.map((share) => (
                <ShareItem key={share.shareId} share={share} />
              ))}
            </Stack>
          )
        }
      </QueryView>
    </Stack>
  );
}

function ShareForm({ cid }: { cid: string }) {
  const { t } = useTranslation('locations');
  const session = useSession();
  const { client } = session;
  const { data: active } = useQuery(sharesQuery(session, cid));
  const queries = useQueryClient();
  const fieldErrors = useFieldErrors();
  const form = useForm<{ title: string; expiresIn: Duration }>({ initialValues: { title: '', expiresIn: '3600' } });
  const create = useMutation({
    mutationFn: ({ title, expiresIn }: { title: string; expiresIn: Duration }) =>
      client.locations.createShare({
        cid,
        expiresIn: Number(expiresIn),
        ...(title.trim() === '' ? {} : { title: title.trim() }),
      }),
    onSuccess: async () => {
      form.reset();
      await queries.invalidateQueries({ queryKey: ['locations', 'shares', cid] });
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  return (
    <form onSubmit={form.onSubmit((values) => create.mutate(values))}>
      <Stack>
        <NativeSelect
          label={t('shareDuration')}
          data={DURATIONS.map((value) => ({ value, label: t(`share${value}`) }))}
          {...form.getInputProps('expiresIn')}
        />
        <TextInput
          label={t('shareTitle')}
          description={t('shareTitleHint')}
          maxLength={MAX_TITLE_LENGTH}
          {...form.getInputProps('title')}
        />
        <ErrorAlert error={create.error} />
        <Button type="submit" loading={create.isPending} style={{ alignSelf: 'start' }}>
          {t('shareCreate')}
        </Button>
        {create.data && active?.items.some(({ shareId }) => shareId === create.data.shareId) && (
          <CreatedShare share={create.data} />
        )}
      </Stack>
    </form>
  );
}

function CreatedShare({ share: { url } }: { share: Schema<'CreatedShareDto'> }) {
  const { t } = useTranslation('locations');
  return (
    <Card withBorder role="status">
      <Stack gap="sm">
        <Text>{t('shareCreated')}</Text>
        <Anchor href={url} target="_blank" rel="noreferrer" style={{ overflowWrap: 'anywhere' }}>
          {url}
        </Anchor>
        <Group>
          <CopyButton value={url}>
            {({ copied, copy }) => (
              <Button variant="light" onClick={copy}>
                {t(copied ? 'copied' : 'shareCopy')}
              </Button>
            )}
          </CopyButton>
          {'share' in navigator && (
            // The person can close the dialog of the device, which is no failure.
            <Button variant="light" onClick={() => void navigator.share({ url }).catch(() => undefined)}>
              {t('shareSend')}
            </Button>
          )}
        </Group>
      </Stack>
    </Card>
  );
}

function ShareItem({ share: { shareId, title, createdAt, expiresAt } }: { share: Schema<'ShareDto'> }) {
  const { t } = useTranslation('locations');
  const format = useDateFormat();
  const { client } = useSession();
  const queries = useQueryClient();
  const end = useMutation({
    mutationFn: () => client.locations.deleteShare({ shareId }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['locations', 'shares'] }),
  });
  const name = title ?? t('untitled');
  const time = format(expiresAt);
  return (
    <Card component="li" withBorder>
      <Group justify="space-between" wrap="nowrap">
        <Stack gap={0} miw={0}>
          <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          <Text size="sm" c="dimmed">
            {t('shareUntil', { time })} · {t('shareCreatedAt')} <RelativeTime time={createdAt} />
          </Text>
        </Stack>
        <Button
          flex="none"
          color="red"
          variant="light"
          loading={end.isPending}
          aria-label={t('shareEndLabel', { title: name })}
          onClick={() => end.mutate()}
        >
          {t('shareEnd')}
        </Button>
      </Group>
      <ErrorAlert error={end.error} />
    </Card>
  );
}
