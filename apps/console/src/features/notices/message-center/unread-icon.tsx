import { Indicator, VisuallyHidden } from '@mantine/core';
import { TbBell } from 'react-icons/tb';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { formatCount } from '../../../ui/format-count.js';
import { unreadQuery } from './queries.js';

/** The icon of the message centre with the number of unread messages. */
export function UnreadIcon() {
  const { t } = useTranslation('messageCenter');
  const session = useSession();
  const { data: unread = 0 } = useQuery(unreadQuery(session));
  return (
    <Indicator
      inline
      size={18}
      offset={4}
      display="inline-flex"
      disabled={unread === 0}
      label={formatCount(unread)}
      aria-hidden={unread === 0}
    >
      <TbBell aria-hidden />
      {unread > 0 && <VisuallyHidden>{t('unread', { count: unread })}</VisuallyHidden>}
    </Indicator>
  );
}
