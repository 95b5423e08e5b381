import { Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useLanguage } from '../../../core/texts.js';
import { useDateFormat } from '../../../ui/date-time.js';
import { formatTime, isToday } from '../../../ui/format.js';
import { Section } from '../../../ui/section.js';
import { JoinRequestDecision } from '../../families/family/join-requests.js';
import { FriendDecision } from '../../families/watch-settings/friend-decision.js';
import { MessageRow } from './message-row.js';
import type { CenterMessage } from './queries.js';
import { subjectOf } from './subjects.js';
import type { useCenterText } from './use-center-text.js';
import type { OpenRequest } from './use-open-requests.js';

/** The message that a request has caused; the list may not have loaded it, and the person may have deleted it. */
function messageOf(request: OpenRequest): Pick<CenterMessage, 'type' | 'category' | 'cid' | 'familyId' | 'params'> {
  switch (request.type) {
    case 'sos':
      return {
        ...{ type: 'SOS_RAISED', category: 'SOS', cid: request.child.cid, familyId: null },
        params: { sosId: request.id },
      };
    case 'join':
      return {
        ...{ type: 'APPLICATION_MADE', category: 'APPLICATION', cid: null, familyId: request.family.familyId },
        params: { applicationId: request.id },
      };
    case 'claim':
      return {
        ...{ type: 'OWNERSHIP_CLAIMED', category: 'FAMILY', cid: null, familyId: request.family.familyId },
        params: { claimantUserId: request.claim.claimantUserId },
      };
    case 'order':
      return {
        ...{ type: 'ORDER_REQUESTED', category: 'ORDER', cid: request.order.cid, familyId: request.family.familyId },
        params: {},
      };
    case 'friend':
      return {
        ...{ type: 'FRIEND_APPLICATION_CHANGED', category: 'FRIEND', cid: request.child.cid, familyId: null },
        params: { applicationId: request.id, state: request.friend.state },
      };
  }
}

interface OpenRequestsProps {
  requests: readonly OpenRequest[];
  textOf: ReturnType<typeof useCenterText>;
  /** Called with the id of the request whose subject is opened. */
  onOpen: (id: string) => void;
}

/** What waits for the person, with the decision where it needs no other page. */
export function OpenRequests({ requests, textOf, onOpen }: OpenRequestsProps) {
  const { t } = useTranslation('messageCenter');
  const [language] = useLanguage();
  const formatDate = useDateFormat('date');
  if (requests.length === 0) return null;
  return (
    <Section title={t('toDo')}>
      <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }}>
        {requests.map((request) => {
          const { id, time } = request;
          const message = messageOf(request);
          return (
            <Stack key={id} component="li" gap={4}>
              <MessageRow
                category={message.category}
                text={textOf(message)}
                time={isToday(time) ? formatTime(time, language) : formatDate(time)}
                subject={subjectOf(message)}
                isUnread
                onOpen={() => onOpen(id)}
              />
              {request.type === 'join' && (
                <JoinRequestDecision familyId={request.family.familyId} request={request.request} />
              )}
              {request.type === 'friend' && <FriendDecision did={request.did} friend={request.friend} />}
            </Stack>
          );
        })}
      </Stack>
    </Section>
  );
}
