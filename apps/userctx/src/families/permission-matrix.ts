import {
  CHILD_PERMISSION,
  FAMILY_ROLE,
  type ChildPermission,
  type FamilyRole,
} from '@family-watch/domain/families/contracts/family-role';
import { memberHasPermission, type MemberSnapshot } from '@family-watch/domain/families/contracts/membership';

/** The actions for one child. */
export const CHILD_ACTION = {
  SEE_CHILD: 'SEE_CHILD',
  SEE_CONTACTS: 'SEE_CONTACTS',
  SEE_SETTINGS: 'SEE_SETTINGS',
  SEE_LOCATION: 'SEE_LOCATION',
  SEE_ALERTS: 'SEE_ALERTS',
  SEE_ACCESS_LOG: 'SEE_ACCESS_LOG',
  CHAT: 'CHAT',
  CALL: 'CALL',
  ASK_LOCATION: 'ASK_LOCATION',
  CORRECT_LOCATION: 'CORRECT_LOCATION',
  SHARE_LOCATION: 'SHARE_LOCATION',
  CHANGE_CHILD: 'CHANGE_CHILD',
  CHANGE_CONTACTS: 'CHANGE_CONTACTS',
  CHANGE_SETTINGS: 'CHANGE_SETTINGS',
  CHANGE_FENCES: 'CHANGE_FENCES',
  REMOTE_CONTROL: 'REMOTE_CONTROL',
  DELETE_CHILD: 'DELETE_CHILD',
  BIND_WATCH: 'BIND_WATCH',
  UNBIND_WATCH: 'UNBIND_WATCH',
  BUY_FOR_CHILD: 'BUY_FOR_CHILD',
} as const;

export type ChildAction = (typeof CHILD_ACTION)[keyof typeof CHILD_ACTION];

/** The actions on the family itself. */
export const FAMILY_ACTION = {
  SEE_MEMBERS: 'SEE_MEMBERS',
  RENAME_FAMILY: 'RENAME_FAMILY',
  INVITE: 'INVITE',
  MANAGE_MEMBERS: 'MANAGE_MEMBERS',
  RESTORE_CHILD: 'RESTORE_CHILD',
  LEAVE: 'LEAVE',
  DECIDE_APPLICATIONS: 'DECIDE_APPLICATIONS',
  TRANSFER: 'TRANSFER',
  DISSOLVE: 'DISSOLVE',
  CLAIM_OWNERSHIP: 'CLAIM_OWNERSHIP',
  SEE_CLAIMS: 'SEE_CLAIMS',
  REFUSE_CLAIM: 'REFUSE_CLAIM',
  BUY: 'BUY',
} as const;

export type FamilyAction = (typeof FAMILY_ACTION)[keyof typeof FAMILY_ACTION];

/**
 * When a member of one role may perform an action. `ANY`: if the member has at least one permission for the child. The
 * name of a permission: if the member has this permission for the child.
 */
export type ChildPermissionRule = 'ALWAYS' | 'NEVER' | 'ANY' | ChildPermission;

type RuleByRole<Rule> = Readonly<Record<FamilyRole, Rule>>;

const { LOCATION, CHAT, CALL, ALERTS, SETTINGS, REMOTE } = CHILD_PERMISSION;

const ruleByRole = <Rule>(owner: Rule, guardian: Rule, caregiver: Rule, contact: Rule): RuleByRole<Rule> => ({
  [FAMILY_ROLE.OWNER]: owner,
  [FAMILY_ROLE.GUARDIAN]: guardian,
  [FAMILY_ROLE.CAREGIVER]: caregiver,
  [FAMILY_ROLE.CONTACT]: contact,
});

const ownerOnlyRule = ruleByRole<ChildPermissionRule>('ALWAYS', 'NEVER', 'NEVER', 'NEVER');

/** The rule for each action on a child, per role. The type requires every rule, so nothing is allowed by default. */
const CHILD_RULES: Readonly<Record<ChildAction, RuleByRole<ChildPermissionRule>>> = {
  SEE_CHILD: ruleByRole<ChildPermissionRule>('ALWAYS', 'ALWAYS', 'ANY', 'NEVER'),
  SEE_CONTACTS: ruleByRole<ChildPermissionRule>('ALWAYS', 'ALWAYS', 'ANY', 'NEVER'),
  SEE_SETTINGS: ruleByRole<ChildPermissionRule>('ALWAYS', 'ALWAYS', 'ANY', 'NEVER'),
  SEE_LOCATION: ruleByRole<ChildPermissionRule>('ALWAYS', LOCATION, LOCATION, 'NEVER'),
  SEE_ALERTS: ruleByRole<ChildPermissionRule>('ALWAYS', ALERTS, ALERTS, 'NEVER'),
  SEE_ACCESS_LOG: ruleByRole<ChildPermissionRule>('ALWAYS', 'ALWAYS', 'NEVER', 'NEVER'),
  CHAT: ruleByRole<ChildPermissionRule>('ALWAYS', CHAT, CHAT, CHAT),
  CALL: ruleByRole<ChildPermissionRule>('ALWAYS', CALL, CALL, CALL),
  ASK_LOCATION: ruleByRole<ChildPermissionRule>('ALWAYS', LOCATION, 'NEVER', 'NEVER'),
  CORRECT_LOCATION: ruleByRole<ChildPermissionRule>('ALWAYS', LOCATION, 'NEVER', 'NEVER'),
  SHARE_LOCATION: ruleByRole<ChildPermissionRule>('ALWAYS', LOCATION, 'NEVER', 'NEVER'),
  CHANGE_CHILD: ruleByRole<ChildPermissionRule>('ALWAYS', SETTINGS, 'NEVER', 'NEVER'),
  CHANGE_CONTACTS: ruleByRole<ChildPermissionRule>('ALWAYS', SETTINGS, 'NEVER', 'NEVER'),
  CHANGE_SETTINGS: ruleByRole<ChildPermissionRule>('ALWAYS', SETTINGS, 'NEVER', 'NEVER'),
  CHANGE_FENCES: ruleByRole<ChildPermissionRule>('ALWAYS', SETTINGS, 'NEVER', 'NEVER'),
  REMOTE_CONTROL: ruleByRole<ChildPermissionRule>('ALWAYS', REMOTE, 'NEVER', 'NEVER'),
  DELETE_CHILD: ownerOnlyRule,
  BIND_WATCH: ownerOnlyRule,
  UNBIND_WATCH: ownerOnlyRule,
  BUY_FOR_CHILD: ruleByRole<ChildPermissionRule>('ALWAYS', SETTINGS, 'NEVER', 'NEVER'),
};

/**
 * Whether each role may perform an action on the family. The owner cannot leave, because the family would have no
 * owner.
 */
const FAMILY_RULES: Readonly<Record<FamilyAction, RuleByRole<boolean>>> = {
  SEE_MEMBERS: ruleByRole(true, true, true, false),
  RENAME_FAMILY: ruleByRole(true, false, false, false),
  INVITE: ruleByRole(true, false, false, false),
  MANAGE_MEMBERS: ruleByRole(true, false, false, false),
  RESTORE_CHILD: ruleByRole(true, false, false, false),
  LEAVE: ruleByRole(false, true, true, true),
  DECIDE_APPLICATIONS: ruleByRole(true, false, false, false),
  TRANSFER: ruleByRole(true, false, false, false),
  DISSOLVE: ruleByRole(true, false, false, false),
  CLAIM_OWNERSHIP: ruleByRole(false, true, false, false),
  SEE_CLAIMS: ruleByRole(true, true, false, false),
  REFUSE_CLAIM: ruleByRole(true, false, false, false),
  BUY: ruleByRole(true, true, false, false),
};

/** Whether a watch may perform each action for the child that it acts for. */
export const WATCH_RULES: Readonly<Record<ChildAction, boolean>> = {
  SEE_CHILD: true,
  SEE_CONTACTS: true,
  SEE_SETTINGS: true,
  SEE_LOCATION: true,
  SEE_ALERTS: false,
  SEE_ACCESS_LOG: false,
  CHAT: true,
  CALL: true,
  ASK_LOCATION: false,
  CORRECT_LOCATION: false,
  SHARE_LOCATION: false,
  CHANGE_CHILD: false,
  CHANGE_CONTACTS: false,
  CHANGE_SETTINGS: false,
  CHANGE_FENCES: false,
  REMOTE_CONTROL: false,
  DELETE_CHILD: false,
  BIND_WATCH: false,
  UNBIND_WATCH: false,
  BUY_FOR_CHILD: false,
};

/** Returns whether the member may perform the action for the child. */
export function isAllowedForChild(member: MemberSnapshot, action: ChildAction, cid: string): boolean {
  const rule = CHILD_RULES[action][member.role];
  switch (rule) {
    case 'ALWAYS':
      return true;
    case 'NEVER':
      return false;
    case 'ANY':
      return Object.values(CHILD_PERMISSION).some((permission) => memberHasPermission(member, permission, cid));
    default:
      return memberHasPermission(member, rule, cid);
  }
}

/** Returns whether the member may perform the action on the family. */
export function isAllowedForFamily(member: Pick<MemberSnapshot, 'role'>, action: FamilyAction): boolean {
  return FAMILY_RULES[action][member.role];
}
