import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { PageTitle } from '../../../ui/page-title.js';
import { QueryView } from '../../../ui/query-view.js';
import { childrenQuery } from '../../families/queries.js';
import { positionOf } from '../map/geometry.js';
import { FenceForm } from './fence-form.js';
import { EMPTY_FENCE } from './fence-values.js';

const route = getRouteApi('/signed-in/children/$cid/fences/add');

/** Adds a place, near the last location of the child. */
export function AddFencePage() {
  const { t } = useTranslation('fences');
  const { cid } = route.useParams();
  const session = useSession();
  const children = useQuery(childrenQuery(session));
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  return (
    <Stack>
      <PageTitle title={t('addTitle')} back={{ to: '/children/$cid/fences', params: { cid } }} />
      <QueryView query={children}>
        {({ childList }) => {
          const location = childList.find((child) => child.cid === cid)?.lastLocation;
          return (
            <FenceForm
              cid={cid}
              initialValues={EMPTY_FENCE}
              near={location ? positionOf(location) : undefined}
              save={(request) => session.client.fences.create({ cid, ...request }, { idempotencyKey })}
            />
          );
        }}
      </QueryView>
    </Stack>
  );
}
