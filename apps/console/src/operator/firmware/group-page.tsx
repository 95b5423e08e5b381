import { Button, Group, Text, Textarea } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { ErrorAlert } from '../../ui/error-alert.js';
import { Section } from '../../ui/section.js';
import { useOperator } from '../session/use-operator.js';
import { WatchLink } from '../shared/links.js';
import { Page } from '../shared/page.js';
import { PagedList } from '../shared/paged-list.js';
import { useChange } from '../shared/use-change.js';
import { groupsQuery } from '../watches/queries.js';
import { groupWatchesQuery } from './queries.js';

const route = getRouteApi('/operator/groups/$groupId');

/** One group of watches: its watches, and its deletion. */
export function GroupPage() {
  const { t } = useTranslation('operatorFirmware');
  const { t: tList } = useTranslation('operatorLists');
  const session = useOperator();
  const { groupId } = route.useParams();
  const groups = useQuery(groupsQuery(session));
  const watches = useInfiniteQuery(groupWatchesQuery(session, groupId));
  const name = groups.data?.items.find((group) => group.groupId === groupId)?.name ?? groupId;
  return (
    <Page
      title={t('group', { name })}
      back={{ to: '/operator/groups' }}
      action={<DeleteGroup groupId={groupId} name={name} />}
    >
      <Section title={t('addWatches')}>
        <AddWatches groupId={groupId} />
      </Section>
      <Section title={t('watchesOfGroup')}>
        <PagedList
          label={t('watchesOfGroup')}
          query={watches}
          keyOf={(did) => did}
          columns={[
            { name: t('did'), value: (did) => <WatchLink did={did} /> },
            { name: tList('actions'), value: (did) => <RemoveWatch groupId={groupId} did={did} /> },
          ]}
        />
      </Section>
    </Page>
  );
}

function AddWatches({ groupId }: { groupId: string }) {
  const { t } = useTranslation('operatorFirmware');
  const { client } = useOperator();
  const [text, setText] = useState('');
  const add = useChange(
    (dids: number[]) => client.addToFirmwareGroup({ groupId, dids }),
    () => setText(''),
  );
  const words = text.split(/[\s,;]+/).filter((word) => word !== '');
  const isValid = words.every((word) => /^\d{1,16}$/.test(word));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isValid && words.length > 0) add.mutate(words.map(Number));
      }}
    >
      <Textarea
        label={t('dids')}
        description={t('didsHint')}
        autosize
        minRows={2}
        maxRows={8}
        value={text}
        error={isValid ? undefined : t('didsRule')}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Group my="sm">
        <Button type="submit" loading={add.isPending}>
          {t('add')}
        </Button>
        {add.data && <Text role="status">{t('added', { count: add.data.changed })}</Text>}
      </Group>
      <ErrorAlert error={add.error} />
    </form>
  );
}

function RemoveWatch({ groupId, did }: { groupId: string; did: number }) {
  const { t } = useTranslation('operatorFirmware');
  const { client } = useOperator();
  const remove = useChange(() => client.removeFromFirmwareGroup({ groupId, dids: [did] }));
  return (
    <ConfirmButton
      label={t('remove')}
      aria-label={`${t('remove')}: ${did}`}
      title={t('removeTitle', { did })}
      action={remove}
    />
  );
}

function DeleteGroup({ groupId, name }: { groupId: string; name: string }) {
  const { t } = useTranslation('operatorFirmware');
  const { client } = useOperator();
  const navigate = useNavigate();
  const remove = useChange(
    () => client.deleteFirmwareGroup({ groupId }),
    () => void navigate({ to: '/operator/groups' }),
  );
  return (
    <ConfirmButton
      label={t('deleteGroup')}
      title={t('deleteGroupTitle', { name })}
      question={t('deleteGroupQuestion', { groupId })}
      variant="light"
      action={remove}
    />
  );
}
