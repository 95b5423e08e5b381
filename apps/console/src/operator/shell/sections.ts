import {
  TbAddressBook,
  TbBox,
  TbDeviceWatch,
  TbDownload,
  TbHistory,
  TbListCheck,
  TbPackages,
  TbReceipt,
  TbRocket,
  TbRoute,
  TbShieldLock,
  TbUserCircle,
  TbUsers,
  TbStack2,
} from 'react-icons/tb';
import type { OperatorRole } from '../session/operator-session.js';

const SUPPORT: readonly OperatorRole[] = ['SUPPORT'];
const FLEET: readonly OperatorRole[] = ['FLEET'];
const BILLING: readonly OperatorRole[] = ['BILLING'];
const ALL: readonly OperatorRole[] = ['SUPPORT', 'FLEET', 'BILLING'];

/** The sections of the page with the roles that may use them, besides ADMIN, who may use all. */
export const SECTIONS = [
  { to: '/operator/people', text: 'people', Icon: TbAddressBook, roles: SUPPORT },
  { to: '/operator/families', text: 'families', Icon: TbUsers, roles: SUPPORT },
  { to: '/operator/watches', text: 'watches', Icon: TbDeviceWatch, roles: [...SUPPORT, ...FLEET] },
  { to: '/operator/enrolment', text: 'enrolment', Icon: TbListCheck, roles: FLEET },
  { to: '/operator/images', text: 'images', Icon: TbBox, roles: FLEET },
  { to: '/operator/groups', text: 'groups', Icon: TbStack2, roles: FLEET },
  { to: '/operator/rollouts', text: 'rollouts', Icon: TbRocket, roles: FLEET },
  { to: '/operator/releases', text: 'releases', Icon: TbDownload, roles: FLEET },
  { to: '/operator/products', text: 'products', Icon: TbPackages, roles: BILLING },
  { to: '/operator/orders', text: 'orders', Icon: TbReceipt, roles: BILLING },
  { to: '/operator/bus', text: 'bus', Icon: TbRoute, roles: [] },
  { to: '/operator/operators', text: 'operators', Icon: TbShieldLock, roles: [] },
  { to: '/operator/audit', text: 'audit', Icon: TbHistory, roles: [] },
  { to: '/operator/account', text: 'account', Icon: TbUserCircle, roles: ALL },
] as const;
