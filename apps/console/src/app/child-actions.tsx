import type { Schema } from '@family-watch/client';
import { ActionIcon, Alert, Group, Stack, Text, type ActionIconProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ComponentType, ReactNode } from 'react';
import { TbBell, TbCurrentLocation, TbMessageCircle, TbVideo } from 'react-icons/tb';
import { useTranslation } from 'react-i18next';
import { useSession } from '../core/session/use-session.js';
import { useCalls } from '../features/conversations/calls/use-calls.js';
import { conversationsQuery } from '../features/conversations/queries.js';
import { useChildAccess, watchesQuery } from '../features/families/queries.js';
import { commandsQuery } from '../features/families/watch-settings/queries.js';
import { useRing } from '../features/families/watch-settings/use-ring.js';
import { LocateProgress, useLocateNow } from '../features/locations/locate-now.js';
import { ErrorAlert } from '../ui/error-alert.js';

interface ChildActionsProps {
  child: Schema<'ChildDto'>;
}

/** What parents do most with a child that has a watch, as far as they may: chat, call, locate, ring. */
export function ChildActions({ child }: ChildActionsProps) {
  const { cid, name, device } = child;
  return device && <WatchActions cid={cid} name={name} did={device.did} />;
}

function WatchActions({ cid, name, did }: { cid: string; name: string; did: number }) {
  const { t } = useTranslation('childActions');
  const session = useSession();
  const { may, mayAsGuardian } = useChildAccess(cid);
  const { calls, view } = useCalls(session);
  const locate = useLocateNow(did);
  const ring = useRing(did);
  const isOnline = useQuery(watchesQuery(session)).data?.items.find((watch) => watch.did === did)?.online === true;
  return (
    <Stack gap="sm">
      <Group grow gap="xs" wrap="nowrap" role="group" aria-label={t('actions', { name })}>
        {may('CHAT') && <ChatAction cid={cid} name={name} />}
        {may('CALL') && (
          <Action
            text={t('call')}
            label={t('callWith', { name })}
            Icon={TbVideo}
            disabled={view.call.status !== 'none'}
            onClick={() => void calls.start(`watch:${did}`, { cid })}
          />
        )}
        {mayAsGuardian('LOCATION') && (
          <Action
            text={t('locate')}
            label={t('locateNow', { name })}
            Icon={TbCurrentLocation}
            loading={locate.isPending}
            onClick={() => locate.mutate()}
          />
        )}
        {mayAsGuardian('REMOTE') && (
          <Action
            text={t('ring')}
            label={t('ringWatch', { name })}
            Icon={TbBell}
            loading={ring.isPending}
            onClick={() => ring.mutate()}
          />
        )}
      </Group>
      <ErrorAlert error={locate.error ?? ring.error} />
      {locate.data && <LocateProgress key={locate.data.askId} ask={locate.data} isOnline={isOnline} />}
      {ring.data && <RingProgress command={ring.data} did={did} />}
    </Stack>
  );
}

/** Opens the conversation with the child, once the service has created it. */
function ChatAction({ cid, name }: { cid: string; name: string }) {
  const { t } = useTranslation('childActions');
  const { data } = useQuery(conversationsQuery(useSession()));
  const conversation = data?.items.find(
    ({ type, members }) => type === 'DIRECT' && members.some((member) => member.cid === cid),
  );
  if (!conversation) return null;
  const params = { conversationId: conversation.conversationId };
  return (
    <Action
      text={t('chat')}
      label={t('chatWith', { name })}
      Icon={TbMessageCircle}
      renderRoot={(props) => <Link {...props} to="/chat/$conversationId" params={params} />}
    />
  );
}

interface ActionProps extends Pick<ActionIconProps, 'loading' | 'disabled'> {
  text: string;
  label: string;
  Icon: ComponentType<{ size: number; 'aria-hidden': true }>;
  onClick?: () => void;
  renderRoot?: (props: Record<string, unknown>) => ReactNode;
}

/** A button with an icon above its text. */
function Action({ text, label, Icon, ...props }: ActionProps) {
  return (
    <ActionIcon variant="light" h={56} aria-label={label} styles={{ icon: { flexDirection: 'column' } }} {...props}>
      <Icon size={22} aria-hidden />
      <Text span size="sm" fw={500}>
        {text}
      </Text>
    </ActionIcon>
  );
}

function RingProgress({ command, did }: { command: Schema<'CommandDto'>; did: number }) {
  const { t } = useTranslation('childActions');
  const { data } = useQuery(commandsQuery(useSession(), did));
  const { state } = data?.items.find(({ commandId }) => commandId === command.commandId) ?? command;
  const hasFailed = state === 'REJECTED' || state === 'EXPIRED';
  return (
    <Alert color={hasFailed ? 'orange' : 'teal'} variant="light" role="status">
      {t(`ring${state}`)}
    </Alert>
  );
}
