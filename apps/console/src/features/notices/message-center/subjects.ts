import type { LinkProps } from '@tanstack/react-router';
import type { CenterMessage } from './queries.js';

/** The page about what a message reports. */
export type Subject = Pick<LinkProps, 'to' | 'params'>;

type SubjectOf = (message: Pick<CenterMessage, 'cid' | 'familyId' | 'params'>) => Subject;

/** A page of the child, or the list of the children if the message names none. */
const childPage =
  (page: '' | '/fences' | '/shares' | '/settings/device' | '/settings/friends' = ''): SubjectOf =>
  ({ cid }) =>
    cid === null ? { to: '/children' } : { to: `/children/$cid${page}`, params: { cid } };

/** A page of the family, or the list of the families if the message names none. */
const familyPage =
  (page: '' | '/plans' = ''): SubjectOf =>
  ({ familyId }) =>
    familyId === null ? { to: '/family' } : { to: `/family/$familyId${page}`, params: { familyId } };

const page =
  (to: NonNullable<LinkProps['to']>): SubjectOf =>
  () => ({ to });

const sosPage: SubjectOf = ({ cid, params: { sosId } }) =>
  cid === null ? { to: '/children' } : { to: '/messages/sos/$cid/$sosId', params: { cid, sosId: String(sosId) } };

/** What each type of message opens: the types require a page for a new type. */
const SUBJECTS: Readonly<Record<CenterMessage['type'], SubjectOf>> = {
  SOS_RAISED: sosPage,
  SOS_ESCALATED: sosPage,
  SOS_ACKNOWLEDGED: sosPage,
  SOS_RESOLVED: sosPage,
  BATTERY_LOW: childPage(),
  WATCH_BOUND: childPage('/settings/device'),
  WATCH_UNBOUND: childPage(),
  WATCH_LOST_CONNECTION: childPage(),
  WATCH_BATTERY_EMPTY: childPage(),
  CALL_MISSED: page('/chat/calls'),
  MEMBER_JOINED: familyPage(),
  MEMBER_LEFT: familyPage(),
  CHILD_DELETED: page('/family'),
  CHILD_RESTORED: childPage(),
  FRIEND_APPLICATION_CHANGED: childPage('/settings/friends'),
  SIGN_IN_NEW: page('/family/account'),
  SESSION_TOKEN_REUSED: page('/family/account'),
  DATA_EXPORT_CHANGED: page('/family/account/privacy'),
  FENCE_ENTERED: childPage('/fences'),
  FENCE_LEFT: childPage('/fences'),
  FENCE_DWELLED: childPage('/fences'),
  FENCE_NOT_ARRIVED: childPage('/fences'),
  FENCE_LEFT_EARLY: childPage('/fences'),
  LOCATION_SHARED: childPage('/shares'),
  LOCATION_SHARE_ENDED: childPage('/shares'),
  APPLICATION_MADE: familyPage(),
  APPLICATION_ANSWERED: page('/family'),
  OWNERSHIP_CLAIMED: familyPage(),
  OWNERSHIP_CLAIM_ENDED: familyPage(),
  OWNER_CHANGED: familyPage(),
  FAMILY_DISSOLVED: page('/family'),
  CLOUD_TASK_CHANGED: page('/album'),
  ORDER_REQUESTED: familyPage('/plans'),
  ORDER_CHANGED: familyPage('/plans'),
  FIRMWARE_INSTALLED: childPage('/settings/device'),
  // The person's own account has no family.
  ACCOUNT_DELETION_CHANGED: (message) =>
    message.familyId === null ? { to: '/family/account/privacy' } : familyPage()(message),
  ACCESS_CHANGED: familyPage(),
};

export function subjectOf(message: Pick<CenterMessage, 'type' | 'cid' | 'familyId' | 'params'>): Subject {
  return SUBJECTS[message.type](message);
}

/** Parameters with the id of what a person has to deal with. */
const REQUEST_PARAMS = ['sosId', 'applicationId', 'claimId', 'orderId'] as const;

/** Returns the id of the SOS or request that a message is about. */
export function requestIdOf({ params }: Pick<CenterMessage, 'params'>): string | undefined {
  return REQUEST_PARAMS.map((name) => params[name]).find((value) => typeof value === 'string');
}
