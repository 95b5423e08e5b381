import { ApiError } from '@family-watch/client';
import { Button, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { ConfirmButton } from '../../../ui/confirm-button.js';
import { PageTitle } from '../../../ui/page-title.js';
import { QueryView } from '../../../ui/query-view.js';
import { childrenQuery } from '../../families/queries.js';
import { positionOf } from '../map/geometry.js';
import { FenceForm } from './fence-form.js';
import { toValues } from './fence-values.js';
import { fencesQuery, type Fence } from './queries.js';

const route = getRouteApi('/signed-in/children/$cid/fences/$fenceId');

/** Changes or deletes a place. */
export function EditFencePage() {
  const { t } = useTranslation('fences');
  const { cid, fenceId } = route.useParams();
  const fences = useQuery(fencesQuery(useSession(), cid));
  return (
    <Stack>
      <PageTitle title={t('editTitle')} back={{ to: '/children/$cid/fences', params: { cid } }} />
      <QueryView query={fences}>
        {({ items }) => {
          const fence = items.find((each) => each.fenceId === fenceId);
          if (fence) return <FenceEditor key={fenceId} latest={fence} />;
          return (
            <>
              <Text>{t('gone')}</Text>
              <Button
                renderRoot={(props) => <Link {...props} to="/children/$cid/fences" params={{ cid }} />}
                variant="light"
                style={{ alignSelf: 'start' }}
              >
                {t('backToList')}
              </Button>
            </>
          );
        }}
      </QueryView>
    </Stack>
  );
}

function FenceEditor({ latest }: { latest: Fence }) {
  const { t } = useTranslation('fences');
  const session = useSession();
  const queries = useQueryClient();
  const { data: children } = useQuery(childrenQuery(session));
  // The version that the person edits: a newer one must not replace what she has typed.
  const [fence, setFence] = useState(latest);
  const [isStale, setStale] = useState(false);
  const { cid, fenceId, version } = fence;
  const location = children?.childList.find((child) => child.cid === cid)?.lastLocation;
  return (
    <Stack>
      <FenceForm
        key={version}
        cid={cid}
        initialValues={toValues(fence)}
        near={location ? positionOf(location) : undefined}
        save={async (request) => {
          try {
            await session.client.fences.update({ cid, fenceId, version, ...request });
          } catch (error) {
            if (error instanceof ApiError && error.reason === 'VERSION_STALE') {
              setStale(true);
              await queries.invalidateQueries({ queryKey: ['fences', 'list', cid] });
            }
            throw error;
          }
        }}
      />
      {isStale && latest.version > version && (
        <Button
          variant="light"
          style={{ alignSelf: 'start' }}
          onClick={() => {
            setFence(latest);
            setStale(false);
          }}
        >
          {t('stale')}
        </Button>
      )}
      <DeleteFence fence={latest} />
    </Stack>
  );
}

function DeleteFence({ fence: { cid, fenceId, name } }: { fence: Fence }) {
  const { t } = useTranslation('fences');
  const { client } = useSession();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => client.fences.delete({ cid, fenceId }),
    onSuccess: async () => {
      notifications.show({ message: t('deleted') });
      await navigate({ to: '/children/$cid/fences', params: { cid }, ignoreBlocker: true });
      await queries.invalidateQueries({ queryKey: ['fences'] });
    },
  });
  return (
    <ConfirmButton
      variant="light"
      style={{ alignSelf: 'start' }}
      label={t('delete')}
      question={t('deleteQuestion', { place: name })}
      action={remove}
    />
  );
}
