import { Box, Button, Stack, Text } from '@mantine/core';
import { TbVideo } from 'react-icons/tb';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ActiveCall, CallEnd, useEndOnLeave, useRinging } from '../features/conversations/calls/call-parts.js';
import { useCalls } from '../features/conversations/calls/use-calls.js';
import type { EnrolledWatch } from './watch-identity.js';

/** Pixels; the display has no room for more. */
const CALL_HEIGHT = 280;
const OWN_WIDTH = 64;
const MAX_BUTTONS = 2;

/** Shows a video call instead of the rest of the display, and buttons to call the members of the family. */
export function CallFace({ watch, children }: { watch: EnrolledWatch; children: ReactNode }) {
  const { t } = useTranslation('calls');
  const { t: tWatch } = useTranslation('watch');
  const { calls, view } = useCalls(watch);
  const { call } = view;
  const { client, did } = watch;
  const { data: members = [] } = useQuery({
    queryKey: ['watch-messages', did, 'members'],
    queryFn: async () => {
      const { items } = await client.messages.listConversations();
      const direct = items.filter(({ type }) => type === 'DIRECT');
      return direct.flatMap((conversation) => conversation.members).filter(({ userId }) => userId !== null);
    },
  });
  useRinging(call.status === 'incoming');
  useEndOnLeave(calls);
  const nameOf = (party: string) => members.find(({ userId }) => `user:${userId}` === party)?.name ?? tWatch('family');
  return (
    <>
      <Box hidden={call.status !== 'none'}>
        <Stack gap="xs">
          {children}
          {members.slice(0, MAX_BUTTONS).map(({ userId, name }) => (
            <Button
              key={userId}
              variant="light"
              leftSection={<TbVideo aria-hidden />}
              onClick={() => void calls.start(`user:${userId}`, { userId })}
            >
              {t('callShort', { name: name ?? tWatch('family') })}
            </Button>
          ))}
        </Stack>
      </Box>
      {call.status !== 'none' && (
        <Stack h={CALL_HEIGHT}>
          {call.status === 'incoming' && (
            <>
              <Text size="lg" fw={700} ta="center" role="alert">
                {t('incoming', { name: nameOf(call.party) })}
              </Text>
              <Button size="lg" onClick={() => void calls.accept()}>
                {t('accept')}
              </Button>
              <Button size="lg" color="red" onClick={() => void calls.reject()}>
                {t('reject')}
              </Button>
            </>
          )}
          {call.status === 'ended' && <CallEnd call={call} calls={calls} />}
          {call.status !== 'incoming' && call.status !== 'ended' && (
            <ActiveCall calls={calls} view={view} name={nameOf(call.party)} ownWidth={OWN_WIDTH} />
          )}
        </Stack>
      )}
    </>
  );
}
