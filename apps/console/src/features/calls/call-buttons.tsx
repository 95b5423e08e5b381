import { ActionIcon } from '@mantine/core';
import { IconVideo } from '@tabler/icons-react';
import { useSession } from '../../app/session/use-session.js';
import { useTexts } from '../../app/texts.js';
import { texts } from './texts.js';
import { useCalls } from './use-calls.js';

/** Pixels of the header have room for a few children; the others have a conversation of their own. */
const MAX_BUTTONS = 3;

interface Member {
  cid: string | null;
  did: number | null;
  name: string | null;
}

/** A button for each child of a conversation that has a watch. */
export function CallButtons({ members }: { members: readonly Member[] }) {
  const t = useTexts(texts);
  const { calls, view } = useCalls(useSession());
  const reachable = members.flatMap(({ cid, did, name }) => (cid === null || did === null ? [] : [{ cid, did, name }]));
  return reachable.slice(0, MAX_BUTTONS).map(({ cid, did, name }) => (
    <ActionIcon
      key={cid}
      aria-label={t('call', { name: name ?? t('child') })}
      title={t('call', { name: name ?? t('child') })}
      disabled={view.call.status !== 'none'}
      onClick={() => void calls.start(`watch:${did}`, { cid })}
    >
      <IconVideo aria-hidden />
    </ActionIcon>
  ));
}
