import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Outlet } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { PageTitle } from '../../../ui/page-title.js';
import { QueryView } from '../../../ui/query-view.js';
import { childrenQuery } from '../queries.js';
import { WatchContext } from './use-watch.js';

const route = getRouteApi('/signed-in/children/$cid/settings');

/** The frame of the settings pages of one child's watch. */
export function WatchSettingsLayout() {
  const { t } = useTranslation('watchSettings');
  const { cid } = route.useParams();
  const session = useSession();
  const children = useQuery(childrenQuery(session));
  return (
    <QueryView query={children}>
      {({ childList }) => {
        const child = childList.find((each) => each.cid === cid);
        if (!child) return <Text>{t('notFound')}</Text>;
        const { name, device } = child;
        if (device) {
          return (
            <WatchContext value={{ cid, did: device.did, name }}>
              <Outlet />
            </WatchContext>
          );
        }
        return (
          <Stack maw={720} align="start">
            <PageTitle title={t('title', { name })} back={{ to: '/children' }} />
            <Text>{t('noWatch', { name })}</Text>
            <Button renderRoot={(props) => <Link {...props} to="/children/$cid/bind" params={{ cid }} />}>
              {t('bind')}
            </Button>
          </Stack>
        );
      }}
    </QueryView>
  );
}
