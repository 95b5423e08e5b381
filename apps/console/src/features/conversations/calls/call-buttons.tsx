import { ActionIcon, Menu } from '@mantine/core';
import { TbVideo } from 'react-icons/tb';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { useCalls } from './use-calls.js';

interface Member {
  cid: string | null;
  did: number | null;
  name: string | null;
}

/** A button to call the child of a conversation that has a watch; with several children, the person chooses one. */
export function CallButtons({ members }: { members: readonly Member[] }) {
  const { t } = useTranslation('calls');
  const { calls, view } = useCalls(useSession());
  const isBusy = view.call.status !== 'none';
  const children = members.flatMap(({ cid, did, name }) =>
    cid === null || did === null
      ? []
      : [
          {
            cid,
            label: t('call', { name: name ?? t('child') }),
            call: () => void calls.start(`watch:${did}`, { cid }),
          },
        ],
  );
  const [first] = children;
  if (!first) return null;
  if (children.length === 1)
    return (
      <ActionIcon aria-label={first.label} title={first.label} disabled={isBusy} onClick={first.call}>
        <TbVideo aria-hidden />
      </ActionIcon>
    );
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon aria-label={t('video')} title={t('video')} disabled={isBusy}>
          <TbVideo aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {children.map(({ cid, label, call }) => (
          <Menu.Item key={cid} onClick={call}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
