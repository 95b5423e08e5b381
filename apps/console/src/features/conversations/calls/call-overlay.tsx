import { Button, Center, Group, Stack, Text } from '@mantine/core';
import { TbPhone, TbPhoneOff } from 'react-icons/tb';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { Dialog } from '../../../ui/dialog.js';
import { childrenQuery, watchesQuery } from '../../families/queries.js';
import { ActiveCall, CallEnd, useEndOnLeave, useRinging } from './call-parts.js';
import { useCalls } from './use-calls.js';

/** Above all dialogs of the page. */
const Z_INDEX = 400;

/** The call of the person over the whole page, whatever is open. */
export function CallOverlay() {
  const { t } = useTranslation('calls');
  const session = useSession();
  const { calls, view } = useCalls(session);
  const { call } = view;
  const { data } = useQuery(childrenQuery(session));
  const { data: watches } = useQuery({ ...watchesQuery(session), enabled: call.status === 'outgoing' });
  useRinging(call.status === 'incoming');
  useEndOnLeave(calls);
  if (call.status === 'none') return null;
  const child = data?.childList.find(({ device }) => device && `watch:${device.did}` === call.party);
  const name = child?.name ?? t('child');
  const isOffline = watches?.items.some(({ did, online }) => did === child?.device?.did && !online) ?? false;
  return (
    <Dialog
      opened
      onClose={() => undefined}
      fullScreen
      withCloseButton={false}
      closeOnEscape={false}
      zIndex={Z_INDEX}
      title={t('call', { name })}
      transitionProps={{ duration: 0 }}
    >
      <Stack h="calc(100dvh - 84px)" justify="space-between">
        {call.status === 'incoming' && (
          <>
            <Center flex={1}>
              {/* No button has the focus: who is typing must not accept or reject a call by accident. */}
              <Text
                size="2rem"
                fw={700}
                ta="center"
                role="alert"
                tabIndex={-1}
                data-autofocus
                style={{ outline: 'none' }}
              >
                {t('incoming', { name })}
              </Text>
            </Center>
            <Group grow>
              <Button
                size="lg"
                h={64}
                color="red"
                leftSection={<TbPhoneOff aria-hidden />}
                onClick={() => void calls.reject()}
              >
                {t('reject')}
              </Button>
              <Button size="lg" h={64} leftSection={<TbPhone aria-hidden />} onClick={() => void calls.accept()}>
                {t('accept')}
              </Button>
            </Group>
          </>
        )}
        {call.status === 'ended' && <CallEnd call={call} calls={calls} />}
        {call.status !== 'incoming' && call.status !== 'ended' && (
          <ActiveCall
            calls={calls}
            view={view}
            name={name}
            hint={isOffline ? t('watchOffline', { name }) : undefined}
          />
        )}
      </Stack>
    </Dialog>
  );
}
